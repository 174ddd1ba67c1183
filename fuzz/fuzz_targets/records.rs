#![no_main]
use libfuzzer_sys::fuzz_target;
use onefold_page::records::{Records, Rows};
use std::collections::BTreeSet;

// Pages stand between form feeds.
fuzz_target!(|pages: &str| {
    let mut records = Records::default();
    let mut count = 0;
    for page in pages.split('\x0c').take(8) {
        records.add(page).expect("small pages fit");
        count += 1;
    }
    for rows in [Rows::Auto, Rows::Pages, Rows::Items] {
        let Ok(table) = records.table(rows) else { continue };
        let names: BTreeSet<&String> = table.columns.iter().collect();
        assert_eq!(names.len(), table.columns.len(), "no two columns have one name");
        assert!(table.rows.is_sorted_by(|a, b| (a.page, a.item) < (b.page, b.item)), "rows are in order");
        for row in &table.rows {
            assert_eq!(row.values.len(), table.columns.len(), "a row has a value a column");
            assert!(
                row.page < count && !table.left_out.contains(&row.page),
                "a row is of a page of the layout"
            );
            assert_eq!(row.item > 0, table.has_items);
        }
        assert_eq!(records.table(rows), Ok(table), "the same pages make the same table");
    }
});
