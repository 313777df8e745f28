import Encodings
public import Images

/// A request to the catalog: which images, and in which sequence. A small value with one canonical text, used in the
/// URLs of pages and of the API and in messages.
public struct View: Hashable, Sendable {
    public var search = Search()
    /// Restricts the view to this folder and everything beneath it, in the form that `Catalog.folders` returns; nil for
    /// no restriction.
    public var folder: String?
    /// The maximum length of a folder's path, in bytes: the limit of Linux for any path.
    public static let longestFolder = 4096
    public var sort = Sort.path
    public var isDescending = false
    /// The part of the gallery in which the view looks; nil for the whole. Not part of the text: it is not the client's to
    /// choose.
    public var scope: Scope?

    /// A part of the gallery, such as the one that a share shows.
    public struct Scope: Hashable, Sendable {
        enum Part: Hashable, Sendable {
            /// What a view consists of, now and later.
            case view(Search, folder: ExactText?)
            /// These images, as long as the gallery has them; sorted.
            case images([ImageID])
        }

        let part: Part

        /// What a view consists of; nil if that is everything.
        public init?(of view: View) {
            guard !view.search.isEmpty || view.folder != nil else { return nil }
            part = .view(view.search, folder: view.folder.map(ExactText.init))
        }

        /// A selection of images.
        public init(_ images: Set<ImageID>) {
            part = .images(images.sorted { $0.rawValue < $1.rawValue })
        }
    }

    /// The same view, in a part of the gallery.
    public func within(_ scope: Scope?) -> View {
        var view = self
        view.scope = scope
        return view
    }

    /// All images, in the sources' own order.
    public static let plain = View()

    public init() {}

    // Folders whose names differ only in their Unicode normalisation are different folders.
    public static func == (left: Self, right: Self) -> Bool {
        left.search == right.search && left.folder.map(ExactText.init) == right.folder.map(ExactText.init)
            && left.sort == right.sort && left.isDescending == right.isDescending && left.scope == right.scope
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(search)
        hasher.combine(folder.map(ExactText.init))
        hasher.combine(sort)
        hasher.combine(isDescending)
        hasher.combine(scope)
    }

    public var isPlain: Bool { self == .plain }
}

/// Why a view is invalid.
public struct ViewError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The invalid parameter: `q`, `sort`, `direction`, `seed` or `folder`.
    public let field: String
    /// What it must be, phrased to follow the parameter's name.
    public let reason: String
    /// The word of a search that cannot be parsed.
    public let word: String?

    public init(field: String, reason: String, word: String? = nil) {
        self.field = field
        self.reason = reason
        self.word = word
    }

    public var description: String { "\(field) \(reason)" }
}

extension View: CustomStringConvertible {
    /// The canonical text: parameters in a fixed order, without those that have their default value; empty for the
    /// plain view. Percent-encoded as a URL's query (RFC 3986 §3.4).
    public var description: String {
        parameters.map { "\($0)=\(PercentEncoding.encode($1.utf8, keeping: Self.isPlain))" }.joined(separator: "&")
    }

    /// The parameters of the canonical text, in its order.
    public var parameters: [(name: String, value: String)] {
        var parameters: [(String, String)] = []
        if !search.text.isEmpty { parameters.append(("q", search.text)) }
        if let folder { parameters.append(("folder", folder)) }
        if sort != .path { parameters.append(("sort", sort.name)) }
        if isDescending { parameters.append(("direction", "desc")) }
        if case .shuffle(let seed) = sort { parameters.append(("seed", "\(seed)")) }
        return parameters
    }

    /// - Parameter value: Returns the value of a parameter, nil if it is absent.
    /// - Throws: `ViewError`.
    public init(_ value: (String) throws -> String?) throws {
        self.init()
        /// A keyword or a number. Comparing an arbitrary text may take long.
        func word(_ name: String) throws -> String? {
            let text = try value(name)
            guard text?.utf8.count ?? 0 <= 32 else { throw ViewError(field: name, reason: "is too long.") }
            return text
        }
        search = try Search(try value("q") ?? "")
        folder = try value("folder").flatMap { $0.isEmpty ? nil : $0 }
        guard folder?.utf8.count ?? 0 <= Self.longestFolder else {
            throw ViewError(field: "folder", reason: "must have at most \(Self.longestFolder) bytes.")
        }
        let seed = try word("seed").map { text in
            guard let seed = UInt64(text), seed < 1 << 53 else {
                throw ViewError(field: "seed", reason: "must be a whole number from 0 to 9007199254740991.")
            }
            return seed
        }
        if let name = try word("sort") {
            let sorts = Sort.all(seed: seed ?? 0)
            guard let named = sorts.first(where: { $0.name == name }) else {
                let names = sorts.map(\.name)
                throw ViewError(
                    field: "sort",
                    reason: "must be \(names.dropLast().joined(separator: ", ")) or \(names[names.count - 1]).")
            }
            sort = named
        }
        switch try word("direction") {
        case nil, "asc": isDescending = false
        case "desc": isDescending = true
        default: throw ViewError(field: "direction", reason: "must be asc or desc.")
        }
    }

    /// Bytes that stay legible in a URL: those of a path, and the separators of dates and searches.
    private static func isPlain(_ byte: UInt8) -> Bool {
        PercentEncoding.isPlainInPath(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ",")
    }
}
