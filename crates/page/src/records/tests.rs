use super::*;
use proptest::prelude::*;

fn table(pages: &[String], rows: Rows) -> Result<Table, RecordsError> {
    let mut records = Records::default();
    pages.iter().for_each(|page| records.add(page).unwrap());
    records.table(rows)
}

#[track_caller]
fn check(pages: &[&str], rows: Rows, columns: &[&str], values: &[&[&str]]) {
    let pages: Vec<String> = pages.iter().map(|page| (*page).to_owned()).collect();
    let table = table(&pages, rows).unwrap();
    assert_eq!(table.columns, columns, "{:#?}", table.rows);
    let found: Vec<&[String]> = table.rows.iter().map(|row| &row.values[..]).collect();
    assert_eq!(found, values);
}

#[test]
fn labels_name_columns_and_align_what_pages_leave_out() {
    let page = |name: &str, rows: &str| {
        format!("<title>{name} | Shop</title><h1>{name}</h1><table class=spec>{rows}</table><p>Free returns")
    };
    let row = |label: &str, value: &str| format!("<tr><th>{label}<td>{value}");
    let pages = [
        page("Anvil", &[row("Weight", "90 kg"), row("Colour", "black"), row("Origin", "Leeds")].concat()),
        page("Bell", &[row("Weight", "2 kg"), row("Origin", "Cork")].concat()),
        page("Chain", &[row("Colour", "grey"), row("Origin", "Lyon")].concat()),
    ];
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    check(
        &pages,
        Rows::Auto,
        &["title", "h1", "weight", "colour", "origin"],
        &[
            &["Anvil | Shop", "Anvil", "90 kg", "black", "Leeds"],
            &["Bell | Shop", "Bell", "2 kg", "", "Cork"],
            &["Chain | Shop", "Chain", "", "grey", "Lyon"],
        ],
    );
}

#[test]
fn labels_stand_in_lines_bold_type_and_lists_of_terms() {
    check(
        &[
            "<p>Price: 3 €<p><b>Made in</b>: Rome<dl><dt>Size<dd>4<dt>Age<dd>9</dl><ul><li><b>Sold:</b> 1<li>Rest: 2</ul>",
            "<p>Price: 4 €<p><b>Made in</b>: Oslo<dl><dt>Size<dd>5<dt>Age<dd>8</dl><ul><li><b>Sold:</b> 7<li>Rest: 3</ul>",
        ],
        Rows::Auto,
        &["price", "made_in", "size", "age", "sold", "rest"],
        &[&["3 €", "Rome", "4", "9", "1", "2"], &["4 €", "Oslo", "5", "8", "7", "3"]],
    );
}

#[test]
fn classes_properties_and_attributes_name_columns() {
    check(
        &[
            "<div class='x1 name'>A</div><meta itemprop=priceCurrency content=EUR><span itemprop=price>3</span> left \
             <time datetime=2024-01-01>today</time><p>one",
            "<div class='x2 name'>B</div><meta itemprop=priceCurrency content=USD><span itemprop=price>4</span> left \
             <time datetime=2024-01-02>now</time><p>two",
        ],
        Rows::Auto,
        &["name", "price_currency", "price", "left", "left_2", "p"],
        &[&["A", "EUR", "3", "2024-01-01", "today", "one"], &["B", "USD", "4", "2024-01-02", "now", "two"]],
    );
}

#[test]
fn a_text_of_paragraphs_is_one_value_and_its_bold_words_do_not_cut_it() {
    check(
        &[
            "<h1>A</h1><div class=text><p>One <b>bold</b> word.<p>Two.<p>Three.</div>",
            "<h1>B</h1><div class=text><p>No more.</div>",
        ],
        Rows::Pages,
        &["h1", "text"],
        &[&["A", "One bold word.\nTwo.\nThree."], &["B", "No more."]],
    );
}

fn review(author: &str, stars: u32, text: &str) -> String {
    format!(
        "<li class='review odd'><b class=author>{author}</b><i class=stars>{stars} stars</i><p>{text}</li>"
    )
}

#[test]
fn items_that_pages_repeat_are_rows_and_pages_are_rows_without_them() {
    let page = |name: &str, reviews: &[String]| {
        format!(
            "<nav><ul><li><a href=/>Home</a><p>start<li><a href=/shop>Shop</a><p>buy</ul></nav><h1>{name}</h1>\
             <ul class=reviews>{}</ul>",
            reviews.concat()
        )
    };
    let pages = [
        page("Anvil", &[review("Ann", 5, "Heavy, as it should be."), review("Bob", 4, "Fine by me.")]),
        page("Bell", &[review("Cy", 4, "Rings."), review("Di", 5, "Too loud."), review("Ed", 1, "Cracked.")]),
    ];
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    let rows: [&[&str]; 5] = [
        &["Ann", "5 stars", "Heavy, as it should be."],
        &["Bob", "4 stars", "Fine by me."],
        &["Cy", "4 stars", "Rings."],
        &["Di", "5 stars", "Too loud."],
        &["Ed", "1 stars", "Cracked."],
    ];
    for wanted in [Rows::Auto, Rows::Items] {
        check(&pages, wanted, &["author", "stars", "p"], &rows);
    }
    check(&pages, Rows::Pages, &["h1"], &[&["Anvil"], &["Bell"]]);
}

#[test]
fn a_page_of_another_layout_is_left_out() {
    let pages = ["<h1>A</h1><p>1", "<table><tr><td>x</table>", "<h1>B</h1><p>2"].map(str::to_owned);
    let table = table(&pages, Rows::Auto).unwrap();
    assert_eq!(table.left_out, [1]);
    assert_eq!(table.rows.iter().map(|row| row.page).collect::<Vec<_>>(), [0, 2]);
}

#[test]
fn what_makes_no_table_is_told() {
    let error = |pages: &[&str], rows| {
        table(&pages.iter().map(|page| (*page).to_owned()).collect::<Vec<_>>(), rows).unwrap_err()
    };
    assert_eq!(error(&["<p>a"], Rows::Auto), RecordsError::TooFewPages(1));
    assert_eq!(error(&["<p>a", "<td>b"], Rows::Auto), RecordsError::NoLayout(2));
    assert_eq!(error(&["<p>a", "<p>a"], Rows::Auto), RecordsError::NoField(2));
    assert_eq!(error(&["<p>a", "<p>b"], Rows::Items), RecordsError::NoItems(2));
}

proptest! {
    #[test]
    fn pages_that_are_one_have_no_field(
        parts in proptest::collection::vec(("(<p>|<li>|<tr><td>|<b class=x>|<div id=y3>|</div>|<a href=/q>|<dt>|)", "[a-z:. ]{0,12}"), 0..40),
        copies in 2..12_usize,
    ) {
        let page: String = parts.iter().map(|(tag, text)| format!("{tag}{text}")).collect();
        let made = table(&vec![page; copies], Rows::Pages);
        prop_assert!(matches!(made, Err(RecordsError::NoField(_) | RecordsError::NoLayout(_))), "{made:?}");
    }

    #[test]
    fn any_pages_end_and_the_same_pages_give_the_same_table(
        pages in proptest::collection::vec("(<(p|/p|li|ul|tr|td|th|b|h1|div class=a|/div|a href=b)>|[a-c]: ?|[0-9]{1,2}| ){0,60}", 2..6),
    ) {
        for rows in [Rows::Auto, Rows::Pages, Rows::Items] {
            let made = table(&pages, rows);
            prop_assert_eq!(&made, &table(&pages, rows));
            if let Ok(made) = made {
                prop_assert!(made.rows.iter().all(|row| row.values.len() == made.columns.len()));
            }
        }
    }
}
