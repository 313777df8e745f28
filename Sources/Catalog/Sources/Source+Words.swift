import BlockingIO
import CLinux
import Glibc

extension Source {
    /// The sources that the command line's SOURCE arguments name, in their order.
    ///
    /// - Parameters:
    ///   - count: The `--count` option, for templates.
    ///   - first: The `--first` option, for templates.
    ///   - store: The object store for buckets.
    /// - Throws: `CatalogError.badSource` for the first argument that names no source; its reason says what to do.
    public static func parse(
        _ words: [String], count: Int? = nil, first: Int = 0, store: BucketAddress.Store = BucketAddress.Store()
    ) throws(CatalogError) -> [Source] {
        guard !words.isEmpty else {
            throw .badSource(
                word: "SOURCE", reason: "name a folder, a list of URLs, a URL with {index} in it, or s3://bucket.")
        }
        var sources: [Source] = []
        for word in words { sources.append(try parse(word, count: count, first: first, store: store)) }
        return sources
    }

    private static func parse(
        _ word: String, count: Int?, first: Int, store: BucketAddress.Store
    ) throws(CatalogError) -> Source {
        if word.hasPrefix(BucketAddress.scheme) { return .bucket(try BucketAddress(word, in: store)) }
        if word.contains("://") || URLTemplate.isTemplate(word) {
            // Check the template first, so that a malformed one is reported before a missing count.
            let template = try URLTemplate(word, count: count ?? 1, first: first)
            guard count != nil else {
                throw .badSource(word: word, reason: "give the number of images with --count.")
            }
            return .template(template)
        }
        guard !word.isEmpty, !word.utf8.contains(0) else {
            throw .badSource(word: word, reason: "this is not a file or folder name.")
        }
        switch try fileType(of: word) {
        case S_IFDIR:
            return .folder(path: word)
        case S_IFREG:
            return .list(path: word, format: try format(of: word))
        default:
            throw .badSource(word: word, reason: "neither a folder nor a list of URLs (.txt, .csv, .tsv or .jsonl).")
        }
    }

    /// How long to wait for the disk of a source at startup.
    static let patience = Duration.seconds(5)

    /// The type bits of the file's mode. If its disk does not answer, the name decides: what is not named like a list is
    /// taken for a folder.
    private static func fileType(of word: String) throws(CatalogError) -> mode_t {
        let found: (mode: mode_t, code: Int32)
        do {
            found = try AbandonableWork.value(label: "open", patience: patience) { _ in
                var status = stat()
                let code = stat(word, &status) == 0 ? 0 : errno
                return (status.st_mode & S_IFMT, code)
            }
        } catch {
            return (try? format(of: word)) == nil ? S_IFDIR : S_IFREG
        }
        guard found.code == 0 else { throw .badSource(word: word, reason: unreadable(found.code)) }
        return found.mode
    }

    private static func format(of path: String) throws(CatalogError) -> ListFormat {
        let file = path.split(separator: "/").last ?? ""
        let ending = file.lastIndex(of: ".").map { file[$0...].dropFirst().lowercased() } ?? ""
        if let format = ListFormat(ending: ending) { return format }
        let advice =
            ImageName.isImage(Array(file.utf8))
            ? "a single image; name the folder that contains it."
            : "neither a folder nor a list of URLs; a list ends in .txt, .csv, .tsv or .jsonl."
        throw .badSource(word: path, reason: advice)
    }

    /// Advice for the operator about a file that cannot be reached.
    static func unreadable(_ code: Int32) -> String {
        switch code {
        case ENOENT, ENOTDIR: "does not exist. Check the spelling; in a container, check the mounts."
        case EACCES, EPERM: "cannot be read by this user. Check its permissions and those of the folders above it."
        case ETIMEDOUT: "cannot be read now: its disk does not answer. It is read again as soon as it does."
        default: "cannot be read: \(String(cString: strerror(code)))."
        }
    }
}
