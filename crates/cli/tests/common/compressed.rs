//! Compressed bytes, made and read by the field's own crates.

use std::io::{Read as _, Write as _};

/// Ways in which a file can be compressed.
pub(crate) const ALL: [&str; 5] = ["plain", "gzip", "gzip-members", "zstd", "lz4"];

/// Records as a file of this compression; frames and members end between records where there are several.
pub(crate) fn compress(how: &str, records: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let whole = records.iter().flat_map(|record| record.as_ref()).copied().collect::<Vec<u8>>();
    match how {
        "plain" => whole,
        "gzip" => gzip(&whole),
        "gzip-members" => records.iter().flat_map(|record| gzip(record.as_ref())).collect(),
        "zstd" => {
            let (first, rest) = whole.split_at(whole.len() / 2);
            [zstd(first), zstd(rest)].concat()
        }
        "lz4" => lz4(&whole),
        _ => panic!("{how}: no such compression"),
    }
}

/// The bytes in such a file. Fails the test if it is compressed in another way.
#[track_caller]
pub(crate) fn decompress(how: &str, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    match how {
        "plain" => out.extend_from_slice(bytes),
        "gzip" | "gzip-members" => {
            flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut out).expect("gzip");
        }
        "zstd" => out = zstd::stream::decode_all(bytes).expect("zstd"),
        "lz4" => {
            let mut rest = bytes;
            while !rest.is_empty() {
                lz4_flex::frame::FrameDecoder::new(&mut rest).read_to_end(&mut out).expect("lz4");
            }
        }
        _ => panic!("{how}: no such compression"),
    }
    out
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::stream::encode_all(bytes, 1).unwrap()
}

pub(crate) fn lz4(bytes: &[u8]) -> Vec<u8> {
    use lz4_flex::frame::{BlockSize, FrameEncoder, FrameInfo};
    let mut encoder =
        FrameEncoder::with_frame_info(FrameInfo::new().block_size(BlockSize::Max64KB), Vec::new());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// How many gzip members a file has.
pub(crate) fn members(mut bytes: &[u8]) -> usize {
    let mut count = 0;
    while !bytes.is_empty() {
        let mut decoder = flate2::bufread::GzDecoder::new(bytes);
        std::io::copy(&mut decoder, &mut std::io::sink()).expect("a gzip member");
        bytes = decoder.into_inner();
        count += 1;
    }
    count
}

/// One gzip member of `head`, `times` copies of `block`, and `tail`, made without compressing the block again.
pub(crate) fn gzip_repeated(head: &[u8], block: &[u8], times: usize, tail: &[u8]) -> Vec<u8> {
    use flate2::{Compress, Compression, Crc, FlushCompress};
    let piece = |bytes: &[u8], flush: FlushCompress| {
        let mut out = Vec::with_capacity(bytes.len() / 8 + 1024);
        let mut compress = Compress::new(Compression::best(), false);
        compress.compress_vec(bytes, &mut out, flush).unwrap();
        assert_eq!(compress.total_in() as usize, bytes.len());
        out
    };
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    let mut crc = Crc::new();
    let mut block_crc = Crc::new();
    crc.update(head);
    block_crc.update(block);
    out.extend(piece(head, FlushCompress::Full));
    let repeated = piece(block, FlushCompress::Full);
    for _ in 0..times {
        out.extend_from_slice(&repeated);
        crc.combine(&block_crc);
    }
    out.extend(piece(tail, FlushCompress::Finish));
    crc.update(tail);
    out.extend_from_slice(&crc.sum().to_le_bytes());
    out.extend_from_slice(&crc.amount().to_le_bytes());
    out
}
