import Renditions

/// Recognises what a camera's sensor saw, before it was developed into a picture (RAW). Most of these files are TIFFs
/// whose first page is a thumbnail, which a TIFF decoder would show instead.
enum RawPhoto {
    static let error = RenderError(
        .unsupported, "This is a RAW photo. RAW photos are not shown yet: export it as a JPEG or a TIFF.",
        logDetail: "RAW")

    /// libmagic's names. It calls the other kinds TIFFs, or does not know them.
    private static let mediaTypes: Set<String> = [
        "image/x-adobe-dng", "image/x-canon-cr2", "image/x-canon-cr3", "image/x-canon-crw", "image/x-epson-erf",
        "image/x-fuji-raf", "image/x-kodak-dcr", "image/x-kodak-k25", "image/x-kodak-kdc", "image/x-minolta-mrw",
        "image/x-nikon-nef", "image/x-olympus-orf", "image/x-panasonic-raw", "image/x-panasonic-rw2",
        "image/x-pentax-pef", "image/x-sigma-x3f", "image/x-sony-arw", "image/x-sony-sr2", "image/x-sony-srf",
        "image/x-x3f",
    ]

    /// What files begin with, by offset.
    private static let signatures: [(offset: Int, bytes: [UInt8])] = [
        (8, Array("CR".utf8) + [2, 0]),  // Canon CR2
        (6, Array("HEAPCCDR".utf8)),  // Canon CRW
        (4, Array("ftypcrx ".utf8)),  // Canon CR3
        (0, Array("FUJIFILMCCD-RAW".utf8)),  // Fujifilm RAF
        (0, [0] + Array("MRM".utf8)),  // Minolta MRW
        (0, Array("IIRO".utf8)), (0, Array("IIRS".utf8)), (0, Array("MMOR".utf8)),  // Olympus ORF
        (0, Array("IIU\0".utf8)),  // Panasonic RW2
        (8, Array("IIIIwaR".utf8)), (8, Array("MMMMRaw".utf8)),  // Phase One IIQ
        (0, Array("FOVb".utf8)),  // Sigma X3F
    ]

    /// Whether libmagic's verdict or the first bytes name such a file.
    static func matches(mediaType: String, head: [UInt8]) -> Bool {
        mediaTypes.contains(mediaType)
            || signatures.contains { head.dropFirst($0.offset).prefix($0.bytes.count).elementsEqual($0.bytes) }
    }

    /// Whether a TIFF's directory describes a sensor's values (TIFF/EP, ISO 12234-2, and DNG 1.7: the photometric
    /// interpretations CFA and LinearRaw), or says that the file is a DNG (DNGVersion).
    static func isSensorData(_ directory: TIFFReader.Directory) -> Bool {
        let photometric = directory.values[262]?.first
        return photometric == 32_803 || photometric == 34_892 || directory.values[50_706] != nil
    }
}
