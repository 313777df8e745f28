import CLinux
import Glibc

extension Source {
    /// The sources that the command line's words name, in their order.
    ///
    /// - Parameters:
    ///   - count: the `--count` option, for templates.
    ///   - store: where buckets are.
    /// - Throws: `CatalogError.badSource` for the first word that names no source; its reason says what to do.
    public static func parse(
        _ words: [String], count: Int? = nil, store: BucketAddress.Store = BucketAddress.Store()
    ) throws(CatalogError) -> [Source] {
        guard !words.isEmpty else {
            throw .badSource(
                word: "SOURCE", reason: "name a folder, a list of URLs, a URL with {index} in it, or s3://bucket.")
        }
        var sources: [Source] = []
        for word in words { sources.append(try parse(word, count: count, store: store)) }
        return sources
    }

    private static func parse(
        _ word: String, count: Int?, store: BucketAddress.Store
    ) throws(CatalogError) -> Source {
        if word.hasPrefix(BucketAddress.scheme) { return .bucket(try BucketAddress(word, in: store)) }
        if word.contains("://") || word.contains(URLTemplate.placeholder) {
            // A template that is wrong in itself is said so before the count is asked for.
            let template = try URLTemplate(word, count: count ?? 1)
            guard count != nil else {
                throw .badSource(word: word, reason: "say with --count how many images there are.")
            }
            return .template(template)
        }
        guard !word.isEmpty, !word.utf8.contains(0) else {
            throw .badSource(word: word, reason: "this is no name of a file or folder.")
        }
        var status = stat()
        guard stat(word, &status) == 0 else { throw .badSource(word: word, reason: unreadable(errno)) }
        switch status.st_mode & S_IFMT {
        case S_IFDIR:
            return .folder(path: word)
        case S_IFREG:
            return .list(path: word, format: try format(of: word))
        default:
            throw .badSource(word: word, reason: "neither a folder nor a list of URLs (.txt, .csv or .jsonl).")
        }
    }

    private static func format(of path: String) throws(CatalogError) -> ListFormat {
        let file = path.split(separator: "/").last ?? ""
        let ending = file.lastIndex(of: ".").map { file[$0...].dropFirst().lowercased() } ?? ""
        if let format = ListFormat(rawValue: ending) { return format }
        let advice =
            ImageName.isImage(Array(file.utf8))
            ? "a single picture; name the folder that it lies in."
            : "neither a folder nor a list of URLs; a list's name ends in .txt, .csv or .jsonl."
        throw .badSource(word: path, reason: advice)
    }

    /// What the person at the command line can do about a file that cannot be reached.
    static func unreadable(_ code: Int32) -> String {
        switch code {
        case ENOENT, ENOTDIR: "does not exist. Check the spelling; in a container, check what is mounted."
        case EACCES, EPERM: "cannot be read by this user. Check its permissions and those of the folders above it."
        default: "cannot be read: \(String(cString: strerror(code)))."
        }
    }
}
