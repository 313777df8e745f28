import Encodings

/// A URL list with one JSON value (RFC 8259) per line: the URL as a string, or an object with `url` and optionally
/// `name`, `width`, `height` and `takenAt`. Ignores other members and skips blank lines.
struct JSONLinesList: ListReading {
    func read(_ line: LineSplitter.Line, emit: (ListEntry) throws -> Void) throws {
        guard let bytes = line.bytes else { return try emit(.bad(line: line.number, reason: "the line is too long")) }
        let text = bytes.trimmingSpaces()
        guard !text.isEmpty else { return try emit(.nothing) }
        try emit(entry(text, line: line.number))
    }

    func finish(emit: (ListEntry) throws -> Void) throws {}

    private func entry(_ text: [UInt8], line: Int) -> ListEntry {
        do {
            let value = try JSONField(text)
            if value.isText { return .image(try ScannedImage(url: try value.text().utf8)) }
            func pixels(_ name: String) throws(JSONFieldError) -> Int? {
                (try value[name]?.unlessNull?.number()).flatMap { Int(exactly: $0) }
            }
            let stated = ScannedImage.Stated(
                name: try value["name"]?.unlessNull?.text(), width: try pixels("width"), height: try pixels("height"),
                takenAt: try value["takenAt"]?.unlessNull?.text())
            return .image(try ScannedImage(url: try value.required("url").text().utf8, stated: stated))
        } catch let fault as WebAddress.Fault {
            return .bad(line: line, reason: fault.reason)
        } catch {
            return .bad(line: line, reason: "\(error)")
        }
    }
}
