//! What of a page is its content.

mod features;
mod lexicon;

/// Rows of the features of all blocks and the blocks' texts, for training.
#[doc(hidden)]
pub fn training_rows(html: &str) -> (Vec<Vec<i16>>, Vec<[u32; 7]>, Vec<String>) {
    let outline = crate::html::outline::outline(html);
    let texts = outline.blocks.iter().map(|block| outline.text[block.start..block.end].to_owned()).collect();
    let (rows, groups) = features::rows(&outline);
    (rows, groups, texts)
}

#[doc(hidden)]
pub fn plateau_for_tuning(html: &str, weights: [i64; 4]) -> String {
    let [word, link_word, line_tag, inline_tag] = weights;
    let found = crate::html::plateau::plateau(
        html,
        crate::html::plateau::Weights { word, link_word, line_tag, inline_tag },
    );
    found.text[found.start..found.end].trim_start_matches('\n').to_owned()
}
