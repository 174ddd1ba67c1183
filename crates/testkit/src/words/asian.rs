//! Words of scripts written without blanks.
//!
//! Every character here stays one token of its own script under NFKC, with one exception that `vocabulary` knows:
//! Thai sara am. The Japanese length mark is left out because Unicode counts it to no single script.

use super::by_frequency;
use crate::random::Random;

/// Frequent Han characters of modern Chinese, roughly in order of frequency.
const HAN: &str = "的一是了我不人在他有这个上们来到时大地为子中你说生国年着就那和要她出也得里后自以会家可下而过天去能对小多\
    然于心学么之都好看起发当没成只如事把还用第样道想作种开美总从无情己面最女但现前些所同日手又行意动方期它头经\
    长儿回位分爱老因很给名法间斯知世什两次使身者被高已亲其进此话常与活正感见明问力理尔点文几定本公特做外孩相西\
    果走将月十实向声车全信重三机工物气每并别真打太新比才便夫再书部水像眼等体却加电主界门利海受听表德少克代员许\
    先口由死安写性马光白或住难望教命花结乐色更拉东神记处让母父应直字场平报友关放至张认接告入笑内英军候民岁往何\
    度山觉路带万男边风解叫任金快原吃妈变通师立象数四失满战远格士音轻目条呢";
/// Kanji frequent in Japanese news, beside those shared with the list above.
const KANJI: &str = "日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内相方四定今回新場金\
    員九入選立開手米力学問高代明実円関決子動京全目表戦経通外最言氏現理調体化田当八六約主題下首意法不来作性的要\
    用制治度務強気小七成期公持野協取都和統以機平総加山思家話世受区領多県続進正安設保改数記院女初北午指権心界支\
    第産結百派点教報済書府活原先共得解名交資予川向際査勝面委告軍文反元重近千考判認画海参売利組知案道信策集在件";
const HIRAGANA: &str =
    "いのんしたとるてにかはなれがをうもりこでらまさすっあくそけよみどおきえせだわつめやちろばじほねむ";
const PARTICLES: &[&str] =
    &["の", "は", "を", "に", "が", "と", "で", "も", "から", "まで", "より", "など", "です", "ます"];
const ENDINGS: &[&str] =
    &["する", "した", "して", "される", "い", "く", "る", "った", "える", "り", "られ", "ない", "めて"];
const KATAKANA: &str =
    "ンスルトアリイラクロドシレジタフマテコサニミムオキバグエパダプメカチビボソデネハウモツ";

const THAI_CONSONANTS: &str = "กนรอมงวยทลสดตคปบพหจชขผถซธศญภณฝฐ";
const THAI_LEADING: &str = "เแโไใ";
/// Vowels above and below the consonant.
const THAI_MARKS: &str = "\u{E31}\u{E34}\u{E35}\u{E38}\u{E39}\u{E37}\u{E36}";
const THAI_TONES: &str = "\u{E48}\u{E49}\u{E48}\u{E49}\u{E4A}\u{E4B}";
const THAI_FINALS: &str = "นงมกบดยว";

pub(super) fn chinese(rank: u32, random: &mut Random) -> String {
    let length = match rank {
        0..400 => 1,
        400..30_000 => 2,
        _ => random.between(2, 4),
    };
    (0..length).map(|_| han(HAN, random)).collect()
}

pub(super) fn japanese(rank: u32, random: &mut Random) -> String {
    if (rank as usize) < PARTICLES.len() {
        return PARTICLES[rank as usize].to_owned();
    }
    let mut word = String::new();
    match random.below(20) {
        0..3 => (0..random.between(2, 5)).for_each(|_| word.push(letter(KATAKANA, random))),
        3..7 => (0..random.between(2, 4)).for_each(|_| word.push(letter(HIRAGANA, random))),
        7..14 => (0..random.between(2, 3)).for_each(|_| word.push(han(KANJI, random))),
        _ => {
            (0..random.between(1, 2)).for_each(|_| word.push(han(KANJI, random)));
            word.push_str(random.choose(ENDINGS));
        }
    }
    word
}

pub(super) fn thai(rank: u32, random: &mut Random) -> String {
    let syllables = match rank {
        0..2_000 => 1,
        2_000..20_000 => 2,
        _ => random.between(2, 3),
    };
    (0..syllables).map(|_| thai_syllable(random)).collect()
}

/// One of the listed characters, or now and then a rarer one from the main block.
fn han(list: &str, random: &mut Random) -> char {
    if random.chance(0.12) {
        // Every fifth code point of U+4E00..U+9FA5, so that the tail has about 4,000 characters as in use.
        return char::from_u32(0x4E00 + 5 * random.below(4_180) as u32).unwrap_or('一');
    }
    letter(list, random)
}

fn letter(list: &str, random: &mut Random) -> char {
    // All the lists hold characters of three bytes, so a place is found without a walk.
    let place = by_place(list.len() / 3, random) * 3;
    list[place..].chars().next().unwrap_or('一')
}

fn by_place(len: usize, random: &mut Random) -> usize {
    let place = random.unit();
    ((place * place) * len as f64) as usize
}

fn thai_syllable(random: &mut Random) -> String {
    let mut syllable = String::new();
    let leading = random.chance(0.25);
    if leading {
        syllable.push(letter(THAI_LEADING, random));
    }
    syllable.push(letter(THAI_CONSONANTS, random));
    if random.chance(0.15) {
        syllable.push(by_frequency(&['ร', 'ล', 'ว'], random));
    }
    let marked = !leading && random.chance(0.5);
    if marked {
        syllable.push(letter(THAI_MARKS, random));
    }
    if random.chance(0.3) {
        syllable.push(letter(THAI_TONES, random));
    }
    if !marked && !leading && random.chance(0.7) {
        // Long a, and the am that NFKC takes apart.
        syllable.push(by_frequency(&['า', 'า', 'า', '\u{E33}'], random));
    }
    if !syllable.ends_with('\u{E33}') && random.chance(0.6) {
        syllable.push(letter(THAI_FINALS, random));
    }
    syllable
}
