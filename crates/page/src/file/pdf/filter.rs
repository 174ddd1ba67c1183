//! What streams are packed with.

use std::io::Read;

use super::object::{Dict, Object};
use super::{Budget, FileError};

/// Unpacks a stream; what is damaged gives as much as can be had, what holds no text nothing.
pub(super) fn decode(
    filters: &[Object],
    parameters: &[Object],
    raw: &[u8],
    budget: &mut Budget,
) -> Result<Vec<u8>, FileError> {
    budget.pay(raw.len())?;
    let mut bytes = raw.to_vec();
    for (index, filter) in filters.iter().enumerate() {
        let Object::Name(name) = filter else { return Ok(Vec::new()) };
        let limit = budget.left;
        bytes = match name.as_slice() {
            b"FlateDecode" | b"Fl" => inflate(&bytes, limit),
            b"LZWDecode" | b"LZW" => unpack_lzw(&bytes, parameters.get(index), limit),
            b"ASCIIHexDecode" | b"AHx" => hexadecimal(&bytes),
            b"ASCII85Decode" | b"A85" => base_85(&bytes),
            b"RunLengthDecode" | b"RL" => run_lengths(&bytes, limit),
            // Pictures, and what is encrypted.
            _ => return Ok(Vec::new()),
        };
        budget.pay(bytes.len())?;
        if let Some(Object::Dict(parameters)) = parameters.get(index) {
            bytes = unpredict(bytes, parameters);
        }
    }
    Ok(bytes)
}

/// At most one byte more than the limit, so that who pays for it fails.
fn inflate(bytes: &[u8], limit: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let limit = limit as u64 + 1;
    // An error ends the stream; what came before it stands.
    if flate2::read::ZlibDecoder::new(bytes).take(limit).read_to_end(&mut out).is_err() && out.is_empty() {
        let _ = flate2::read::DeflateDecoder::new(bytes).take(limit).read_to_end(&mut out);
    }
    out
}

fn unpack_lzw(bytes: &[u8], parameters: Option<&Object>, limit: usize) -> Vec<u8> {
    let early = match parameters {
        Some(Object::Dict(parameters)) => parameters.get("EarlyChange").and_then(Object::integer) != Some(0),
        _ => true,
    };
    let mut decoder = if early {
        weezl::decode::Decoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8)
    } else {
        weezl::decode::Decoder::new(weezl::BitOrder::Msb, 8)
    };
    let (mut out, mut rest) = (Vec::new(), bytes);
    let mut buffer = vec![0; 1 << 14];
    loop {
        let step = decoder.decode_bytes(rest, &mut buffer);
        rest = &rest[step.consumed_in..];
        out.extend_from_slice(&buffer[..step.consumed_out]);
        let goes_on = matches!(step.status, Ok(weezl::LzwStatus::Ok));
        if !goes_on || out.len() > limit || (step.consumed_in == 0 && step.consumed_out == 0) {
            return out;
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> Vec<u8> {
    let digits = bytes.iter().take_while(|&&byte| byte != b'>');
    let digits: Vec<u8> = digits.filter_map(|&byte| Some(char::from(byte).to_digit(16)? as u8)).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).unwrap_or(&0)).collect()
}

fn base_85(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let (mut value, mut count) = (0u32, 0);
    for &byte in bytes.strip_prefix(b"<~").unwrap_or(bytes) {
        match byte {
            b'z' if count == 0 => out.extend_from_slice(&[0; 4]),
            b'!'..=b'u' => {
                value = value.wrapping_mul(85).wrapping_add(u32::from(byte - b'!'));
                count += 1;
                if count == 5 {
                    out.extend_from_slice(&value.to_be_bytes());
                    (value, count) = (0, 0);
                }
            }
            b'~' => break,
            _ => {}
        }
    }
    if count > 1 {
        for _ in count..5 {
            value = value.wrapping_mul(85).wrapping_add(84);
        }
        out.extend_from_slice(&value.to_be_bytes()[..count - 1]);
    }
    out
}

fn run_lengths(bytes: &[u8], limit: usize) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::new(), bytes);
    while let Some((&length, tail)) = rest.split_first() {
        if length == 128 || out.len() > limit {
            break;
        }
        if length < 128 {
            let (run, behind) = tail.split_at(tail.len().min(usize::from(length) + 1));
            out.extend_from_slice(run);
            rest = behind;
        } else {
            let Some((&byte, behind)) = tail.split_first() else { break };
            out.resize(out.len() + 257 - usize::from(length), byte);
            rest = behind;
        }
    }
    out
}

/// Undoes the PNG predictors, in which rows are told by what they differ in from others.
fn unpredict(bytes: Vec<u8>, parameters: &Dict) -> Vec<u8> {
    let value = |key: &str, default| parameters.get(key).and_then(Object::integer).unwrap_or(default);
    if value("Predictor", 1) < 10 {
        return bytes;
    }
    let bits = value("Colors", 1).clamp(1, 32) * value("BitsPerComponent", 8).clamp(1, 16);
    let pixel = bits.div_ceil(8);
    let width = (bits * value("Columns", 1).clamp(1, 1 << 20)).div_ceil(8).min(bytes.len());
    let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut above = vec![0; width];
    for row in bytes.chunks(width + 1) {
        let Some((&kind, row)) = row.split_first() else { break };
        let mut line = row.to_vec();
        for at in 0..line.len() {
            let left = if at >= pixel { line[at - pixel] } else { 0 };
            let corner = if at >= pixel { above[at - pixel] } else { 0 };
            let up = above[at];
            let guess = match kind {
                1 => left,
                2 => up,
                3 => ((u16::from(left) + u16::from(up)) / 2) as u8,
                4 => paeth(left, up, corner),
                _ => 0,
            };
            line[at] = line[at].wrapping_add(guess);
        }
        out.extend_from_slice(&line);
        line.resize(width, 0);
        above = line;
    }
    out
}

fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let estimate = i16::from(left) + i16::from(up) - i16::from(corner);
    let distance = |byte: u8| (estimate - i16::from(byte)).abs();
    if distance(left) <= distance(up) && distance(left) <= distance(corner) {
        left
    } else if distance(up) <= distance(corner) {
        up
    } else {
        corner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codings_are_undone() {
        assert_eq!(hexadecimal(b"48 65 6C6c 6>zz"), b"Hell`");
        assert_eq!(base_85(b"<~87cURD]i,\"Ebo80~>"), b"Hello World!");
        assert_eq!(run_lengths(&[2, b'a', b'b', b'c', 254, b'x', 128, 9], 100), b"abcxxx");
        let parameters = Dict(vec![
            (b"Predictor".to_vec(), Object::Number(12.0)),
            (b"Columns".to_vec(), Object::Number(2.0)),
        ]);
        assert_eq!(unpredict(vec![2, 1, 2, 2, 1, 1, 1, 5, 1], &parameters), [1, 2, 2, 3, 5, 6]);
    }
}
