import Glibc

/// One parser under fuzzing: for any input it returns without a trap. Further promises are checked by `precondition`,
/// so that the fuzzer finds a broken one like a crash.
protocol FuzzTarget: SendableMetatype {
    static func run(_ input: [UInt8])
}

/// By their names in `Scripts/fuzz` and the corpus.
private let targets: [String: any FuzzTarget.Type] = [
    "avif": AVIFTarget.self,
    "csv": CSVTarget.self,
    "drawing": DrawingTarget.self,
    "exif": EXIFTarget.self,
    "fields": FieldsTarget.self,
    "filename": FileNameTarget.self,
    "gif": GIFTarget.self,
    "idtoken": IDTokenTarget.self,
    "iptc": IPTCTarget.self,
    "jpeg": JPEGTarget.self,
    "jpeghead": JPEGHeadTarget.self,
    "jsonlines": JSONLinesTarget.self,
    "keys": KeysTarget.self,
    "listing": BucketPageTarget.self,
    "message": ClientMessageTarget.self,
    "passkey": PasskeyTarget.self,
    "pattern": PatternTarget.self,
    "png": PNGTarget.self,
    "provider": ProviderTarget.self,
    "redaction": RedactionTarget.self,
    "redis": RedisReplyTarget.self,
    "request": RequestTarget.self,
    "signature": SignatureTarget.self,
    "takeout": TakeoutTarget.self,
    "text": TextListTarget.self,
    "tiff": TIFFTarget.self,
    "token": TokenBodyTarget.self,
    "view": ViewTarget.self,
    "webp": WebPTarget.self,
    "websocket": WebSocketTarget.self,
    "worker": WorkerMessageTarget.self,
    "xmp": XMPTarget.self,
]

/// libFuzzer's own driver (`FuzzerDriver.cpp`), which returns the exit status.
@_extern(c, "LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Chosen once, before the first input.
nonisolated(unsafe) private var target: any FuzzTarget.Type = CSVTarget.self

/// `fuzz TARGET …`, followed by libFuzzer's own arguments. The linker takes this as `main` for a product of that name.
@_cdecl("fuzz_main")
public func main(
    _ count: CInt, _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> CInt {
    // When it merges corpora, libFuzzer starts this program again with its own arguments only.
    if let inherited = getenv(variable), let named = targets[String(cString: inherited)] {
        return run(named, count, words)
    }
    guard count > 1, let word = words[1], let named = targets[String(cString: word)] else {
        print("usage: fuzz TARGET [libFuzzer's options], and a target is one of:")
        print(targets.keys.sorted().joined(separator: " "))
        return 64
    }
    setenv(variable, word, 1)
    words[1] = words[0]
    return run(named, count - 1, words + 1)
}

private let variable = "TESSERA_FUZZ_TARGET"

private func run(
    _ named: any FuzzTarget.Type, _ count: CInt, _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> CInt {
    target = named
    var (left, rest): (CInt, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) = (count, words)
    return runDriver(&left, &rest) { start, count in
        target.run(Array(UnsafeBufferPointer(start: start, count: count)))
        return 0
    }
}

/// Splits an input into pieces, as a network would; the first byte decides how, so that the fuzzer can learn to split.
struct Pieces {
    let bytes: [UInt8]
    private var seed: UInt8

    init(_ input: [UInt8]) {
        seed = input.first ?? 0
        bytes = Array(input.dropFirst())
    }

    func forEach(_ body: (ArraySlice<UInt8>) -> Void) {
        var (position, state) = (0, seed)
        while position < bytes.count {
            // A full-period generator of bytes (Hull and Dobell), so that every length from 1 to 64 occurs.
            state = state &* 5 &+ 113
            let end = min(position + 1 + Int(state >> 2), bytes.count)
            body(bytes[position..<end])
            position = end
        }
    }
}
