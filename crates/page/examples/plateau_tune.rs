//! tune
use std::collections::HashMap;
use std::io::Read;
use std::time::Instant;
#[allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]
fn words(t: &str) -> Vec<String> {
    t.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|w| !w.is_empty())
        .map(str::to_owned)
        .collect()
}
fn grams(t: &str) -> HashMap<String, i64> {
    let w = words(t);
    let mut m = HashMap::new();
    for i in 0..1.max(w.len() as i64 - 3) as usize {
        *m.entry(w[i.min(w.len())..(i + 4).min(w.len())].join(" ")).or_default() += 1;
    }
    m
}
fn main() {
    let d = "/work/shared/data/extract";
    let mut pages = Vec::new();
    let gz = |p: &str| {
        let mut b = Vec::new();
        flate2::read::MultiGzDecoder::new(std::fs::File::open(p).unwrap()).read_to_end(&mut b).unwrap();
        b
    };
    let t: serde_json::Value =
        serde_json::from_slice(&gz(&format!("{d}/scrapinghub/ground-truth.json.gz"))).unwrap();
    for (k, v) in t.as_object().unwrap() {
        pages.push((
            0,
            onefold_page::decode(&gz(&format!("{d}/scrapinghub/html/{k}.html.gz")), None, true)
                .text
                .into_owned(),
            v["articleBody"].as_str().unwrap().to_owned(),
        ));
    }
    for l in String::from_utf8(gz(&format!("{d}/wcxb/truth.jsonl.gz"))).unwrap().lines() {
        let v: serde_json::Value = serde_json::from_str(l).unwrap();
        pages.push((
            1,
            onefold_page::decode(&gz(&format!("{d}/wcxb/html/{}", v["file"].as_str().unwrap())), None, true)
                .text
                .into_owned(),
            v["main_content"].as_str().unwrap().to_owned(),
        ));
    }
    let truth: Vec<HashMap<String, i64>> = pages
        .iter()
        .map(|(s, _, t)| {
            if *s == 0 {
                grams(t)
            } else {
                let mut m = HashMap::new();
                for w in words(&t.to_lowercase()) {
                    *m.entry(w).or_default() += 1;
                }
                m
            }
        })
        .collect();
    let bytes: usize = pages.iter().map(|p| p.1.len()).sum();
    for line in std::env::args().skip(1) {
        let v: Vec<i64> = line.split(',').map(|x| x.parse().unwrap()).collect();
        let t0 = Instant::now();
        let texts: Vec<String> = pages
            .iter()
            .map(|p| onefold_page::content::plateau_for_tuning(&p.1, [v[0], v[1], v[2], v[3]]))
            .collect();
        let el = t0.elapsed().as_secs_f64();
        let mut o = String::new();
        for half in 0..3 {
            let (mut pr, mut rc, mut n, mut f, mut m) = (0.0, 0.0, 0.0, 0.0, 0.0);
            for (i, (p, x)) in pages.iter().zip(&texts).enumerate() {
                if half < 2 && i % 2 != half {
                    continue;
                }
                let g = if p.0 == 0 {
                    grams(x)
                } else {
                    let mut m = HashMap::new();
                    for w in words(&x.to_lowercase()) {
                        *m.entry(w).or_default() += 1;
                    }
                    m
                };
                let tp: i64 = g.iter().map(|(k, c)| *c.min(truth[i].get(k).unwrap_or(&0))).sum();
                let (a, b): (i64, i64) = (g.values().sum(), truth[i].values().sum());
                if p.0 == 0 {
                    pr += tp as f64 / a.max(1) as f64;
                    rc += tp as f64 / b.max(1) as f64;
                    n += 1.0;
                } else {
                    f += 2.0 * tp as f64 / (a + b).max(1) as f64;
                    m += 1.0;
                }
            }
            let (p, r) = (pr / n, rc / n);
            o += &format!(" {:.4} (P{p:.3} R{r:.3}) {:.4};", 2.0 * p * r / (p + r), f / m);
        }
        println!("{line}: {o} {:.0} MB/s", bytes as f64 / el / 1e6);
    }
}
