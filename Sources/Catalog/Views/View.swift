/// What is asked of the catalog: which images, and in which sequence. A small value with one canonical text, the same in
/// the URL of a page, of the API and in messages.
public struct View: Hashable, Sendable {
    /// By what the images are put in sequence. What lacks the sorted fact stands last in both directions, by path.
    public enum Sort: Hashable, Sendable {
        /// The sources' own order: of a folder by path, of a list by line.
        case path
        /// When the picture was taken, by the clock where it was.
        case taken
        /// The file's name, as people expect: `IMG_2` before `IMG_10`.
        case name
        /// The original's bytes.
        case size
        /// When the image came into the gallery.
        case added
        /// By chance, the same chance for the same seed: an image that comes or goes moves no other past a third.
        case shuffle(seed: UInt64)
    }

    public var search = Search()
    /// Only what lies in this folder or beneath it; nil for everything. As `Catalog.folders` names it.
    public var folder: String?
    public var sort = Sort.path
    public var isDescending = false

    /// Everything, in the sources' own order.
    public static let plain = View()

    public init() {}

    public var isPlain: Bool { self == .plain }
}

/// Why a view cannot be made.
public struct ViewError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The parameter that is wrong: `q`, `sort`, `direction`, `seed`, `folder`.
    public let field: String
    /// What it should be, to be read after the field's name.
    public let reason: String
    /// The word of a search that is not understood.
    public let word: String?

    public init(field: String, reason: String, word: String? = nil) {
        self.field = field
        self.reason = reason
        self.word = word
    }

    public var description: String { "\(field) \(reason)" }
}

extension View: CustomStringConvertible {
    /// The canonical text: parameters in a fixed order, without those that have their usual value; empty for the plain
    /// view. Percent-encoded as a URL's query (RFC 3986 §3.4).
    public var description: String {
        parameters.map { "\($0)=\(Self.encoded($1))" }.joined(separator: "&")
    }

    /// The parameters of the canonical text, in its order.
    public var parameters: [(name: String, value: String)] {
        var parameters: [(String, String)] = []
        if !search.text.isEmpty { parameters.append(("q", search.text)) }
        if let folder { parameters.append(("folder", folder)) }
        if let name = sort.name { parameters.append(("sort", name)) }
        if isDescending { parameters.append(("direction", "desc")) }
        if case .shuffle(let seed) = sort { parameters.append(("seed", "\(seed)")) }
        return parameters
    }

    /// - Parameter value: gives the value of a parameter, nil when it is absent.
    /// - Throws: `ViewError`.
    public init(_ value: (String) throws -> String?) throws {
        self.init()
        search = try Search(try value("q") ?? "")
        folder = try value("folder").flatMap { $0.isEmpty ? nil : $0 }
        let seed = try value("seed").map { text in
            guard let seed = UInt64(text), seed < 1 << 53 else {
                throw ViewError(field: "seed", reason: "must be a whole number from 0 to 9007199254740991.")
            }
            return seed
        }
        switch try value("sort") {
        case nil, "path": sort = .path
        case "taken": sort = .taken
        case "name": sort = .name
        case "size": sort = .size
        case "added": sort = .added
        case "shuffle": sort = .shuffle(seed: seed ?? 0)
        default: throw ViewError(field: "sort", reason: "must be path, taken, name, size, added or shuffle.")
        }
        switch try value("direction") {
        case nil, "asc": isDescending = false
        case "desc": isDescending = true
        default: throw ViewError(field: "direction", reason: "must be asc or desc.")
        }
    }

    private static func encoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: ","):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return encoded
    }
}

extension View.Sort {
    /// As the parameter says it; nil for the usual one.
    fileprivate var name: String? {
        switch self {
        case .path: nil
        case .taken: "taken"
        case .name: "name"
        case .size: "size"
        case .added: "added"
        case .shuffle: "shuffle"
        }
    }
}
