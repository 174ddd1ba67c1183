//! `onefold extract --records`: tables out of pages of one template.
#![allow(clippy::unwrap_used)]

mod common;

use common::archive::Record;
use common::{Place, Ran, data};
use serde_json::json;

/// Runs over the pages of the small shop in the test data: four products and a page of another layout.
fn shop(place: &Place, arguments: &str) -> Ran {
    place.run(&format!("extract {arguments} {}", data("shop").display()))
}

/// Cells of a table as other readers take them (RFC 4180), with code of the tests alone.
fn cells(csv: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = csv.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '"' if quoted && chars.peek() == Some(&'"') => cell.extend(chars.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            _ => cell.push(char),
        }
    }
    assert!(cell.is_empty() && row.is_empty() && !quoted, "the last line is ended");
    rows
}

#[test]
fn products_are_rows_and_columns_are_called_what_the_page_calls_them() {
    let place = Place::new();
    let ran = shop(&place, "--records=pages").ok();
    let rows = cells(ran.text());
    let names = ["url", "source", "title", "name", "price", "stock", "weight", "length", "description"];
    assert_eq!(rows[0], names, "{}", ran.text());
    let column = |name: &str| -> Vec<&str> {
        let at = rows[0].iter().position(|found| found == name).unwrap();
        rows[1..].iter().map(|row| row[at].as_str()).collect()
    };
    assert_eq!(column("name"), ["Felling axe", "Wool blanket", "Cast iron kettle", "Hurricane lamp"]);
    assert_eq!(column("price"), ["72.50", "118.00", "49.00", "31.90"]);
    assert_eq!(column("stock"), ["In stock", "In stock", "Sold out", "In stock"]);
    assert_eq!(column("length"), ["80 cm", "200 cm", "", ""]);
    assert_eq!(
        column("description")[0],
        "A head of hand-forged steel on a straight handle.\nIt comes with a sheath of leather."
    );
    assert!(column("source")[0].ends_with("shop/axe.html") && column("url")[0].is_empty());
    assert!(ran.stderr.contains("7 columns, 4 rows: pages of 4 pages of one layout"), "{}", ran.stderr);
    assert!(ran.stderr.contains("1 pages of other layouts were left out"), "{}", ran.stderr);
    assert!(ran.stderr.contains("about.html"), "{}", ran.stderr);
}

#[test]
fn reviews_are_rows_with_the_number_they_have_on_their_page() {
    let place = Place::new();
    let lines = shop(&place, "--records=items --as jsonl").ok().json();
    assert_eq!(lines.len(), 8);
    let line = &lines[1];
    assert!(line["source"].as_str().unwrap().ends_with("shop/axe.html"), "{line}");
    assert_eq!((&line["version"], &line["url"], &line["item"]), (&json!(1), &json!(null), &json!(2)));
    let fields = json!({
        "author": "Olof", "time": "2024-03-02", "time_2": "2 March 2024", "rating": "4 of 5",
        "review_body": "A good axe, but the sheath is tight.",
    });
    assert_eq!(line["fields"], fields);
    let rows = cells(shop(&place, "--records=items").ok().text());
    assert_eq!(rows[0], ["url", "source", "item", "author", "time", "time_2", "rating", "review_body"]);
    assert!(rows.iter().any(|row| row[7] == "Rusted within a week, \"seasoned\" or not."));
}

/// A page of results, with a menu and a number of its own.
fn results(page: u32, names: &[&str]) -> String {
    let item = |name: &&str| {
        format!(
            "<div class=hit><h3 class=name><a href=/p/{name}>{name}</a></h3><span class=price>{}.00</span></div>",
            name.len()
        )
    };
    format!(
        "<nav><a href=/>Home</a></nav><p class=at>Page {page}</p><div class=hits>{}</div><p>Prices without tax</p>",
        names.iter().map(item).collect::<String>()
    )
}

#[test]
fn pages_that_are_lists_give_their_items_without_being_asked() {
    let place = Place::new();
    let records = [
        Record::response("a", "http://shop.example/1", &results(1, &["anvil", "bellows", "chain"])),
        Record::response("i", "http://shop.example/i", "")
            .body(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\x89PNG\r\n\x1a\n".to_vec()),
        Record::conversion("t", "http://shop.example/t", "no page at all"),
        Record::response("b", "http://shop.example/2", &results(2, &["drill", "emery wheel"])),
    ];
    place.write("crawl.warc", records.iter().flat_map(Record::bytes).collect::<Vec<u8>>());
    let ran = place.run("extract --records crawl.warc").ok();
    let expected = "url,source,item,name_url,name,price\r\n\
        http://shop.example/1,crawl.warc,1,/p/anvil,anvil,5.00\r\n\
        http://shop.example/1,crawl.warc,2,/p/bellows,bellows,7.00\r\n\
        http://shop.example/1,crawl.warc,3,/p/chain,chain,5.00\r\n\
        http://shop.example/2,crawl.warc,1,/p/drill,drill,5.00\r\n\
        http://shop.example/2,crawl.warc,2,/p/emery,emery wheel,11.00\r\n";
    assert_eq!(ran.text(), expected);
    assert!(ran.stderr.contains("1 documents that are no HTML were left out"), "{}", ran.stderr);
    assert_eq!(place.run("extract --records -q crawl.warc").ok().stderr, "");
    let pages = place.run("extract --records=pages crawl.warc").ok();
    assert_eq!(cells(pages.text())[0], ["url", "source", "at"]);
}

#[test]
fn what_makes_no_table_is_told() {
    let place = Place::new();
    place.write("a.html", "<h1>Same</h1><p>on both");
    place.write("b.html", "<h1>Same</h1><p>on both");
    place.write("c.html", "<table><tr><td>cell</table>");
    let fails = |arguments: &str, says: &str| {
        let ran = place.run(&format!("extract {arguments}")).fails(2, &[says]);
        assert_eq!(ran.text(), "", "{arguments}");
    };
    fails("--records a.html", "two HTML pages or more of one template, found 1");
    fails("--records a.html b.html", "no field differs between 2 pages");
    fails("--records a.html c.html", "no two of 2 pages share a layout");
    fails("--records=items a.html b.html", "repeat no items");
    fails("--records --as html a.html b.html", "--as csv or --as jsonl");
    fails("--as csv a.html b.html", "--records");
    fails("--records --show x.html a.html b.html", "cannot be used with");
}
