import Glibc

/// A folder that exists for one test.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/httpserver.XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        var pending = [path]
        var folders: [String] = []
        while let folder = pending.popLast() {
            folders.append(folder)
            guard let stream = opendir(folder) else { continue }
            while let entry = readdir(stream) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                guard name != ".", name != ".." else { continue }
                if unlink(folder + "/" + name) != 0 { pending.append(folder + "/" + name) }
            }
            closedir(stream)
        }
        for folder in folders.reversed() { rmdir(folder) }
    }

    @discardableResult
    func write(_ bytes: [UInt8], to name: String) -> String {
        var folder = path
        for part in name.split(separator: "/").dropLast() {
            folder += "/" + part
            mkdir(folder, 0o755)
        }
        let file = open(path + "/" + name, O_CREAT | O_WRONLY | O_TRUNC, 0o644)
        precondition(file >= 0)
        var rest = bytes[...]
        while !rest.isEmpty {
            rest = rest.dropFirst(rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) })
        }
        close(file)
        return path + "/" + name
    }
}
