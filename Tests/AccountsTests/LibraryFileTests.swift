import Foundation
import GRDB
import Glibc
import Logging
import Testing

@testable import Accounts

/// Library files, and files that are not libraries.
@Suite struct LibraryFileTests: ~Copyable {
    private let folder = FileManager.default.temporaryDirectory.path + "/tessera-tests-\(UUID().uuidString)"
    private var file: String { folder + "/library.sqlite" }
    private let sender = Sender(address: "192.0.2.1", agent: "test")

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func open() async throws -> Accounts {
        try await Accounts.open(path: file, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Makes a library with an owner, and closes it.
    private func make() async throws {
        let accounts = try await open()
        _ = try await accounts.accept(
            try await accounts.inviteOwner().text, name: "olga", password: "correct horse", from: sender)
        await accounts.close()
    }

    /// All files in the folder, with their content.
    private func content() throws -> [String: Data] {
        try FileManager.default.contentsOfDirectory(atPath: folder).reduce(into: [:]) { files, name in
            files[name] = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
        }
    }

    private func refusal(_ path: String? = nil) -> LibraryMove.Refusal? {
        do throws(LibraryMove.Refusal) {
            _ = try LibraryMove(file: path ?? file)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a library that is moved stays as it is, even if nobody may write it`() async throws {
        try await make()
        chmod(file, 0o400)
        let before = try content()
        let move = try LibraryMove(file: file)
        #expect(move.accountCount == 1 && move.entryCount > 0)
        #expect(try content() == before && before.count == 1)
        let target = MemoryLibrary()
        try move.write(to: target)
        #expect(try target.open().people.map(\.name) == ["olga"])
    }

    @Test func `what a killed server has left beside the file is moved, too`() async throws {
        let accounts = try await open()
        _ = try await accounts.accept(
            try await accounts.inviteOwner().text, name: "olga", password: "correct horse", from: sender)
        let files = try content()
        await accounts.close()
        #expect(files["library.sqlite-wal"]?.isEmpty == false)
        // As they were on the disk at that moment.
        for (name, data) in files { try data.write(to: URL(fileURLWithPath: folder + "/" + name)) }
        #expect(try LibraryMove(file: file).accountCount == 1)
        #expect(try content() == files)
        // A link to the file finds it as well.
        symlink(file, folder + "/link")
        #expect(try LibraryMove(file: folder + "/link").accountCount == 1)
    }

    @Test func `a library in use is not read, and can be used once it was read`() async throws {
        let accounts = try await open()
        #expect(refusal() == .inUse(path: file))
        await accounts.close()
        #expect(refusal() == nil)
        await (try await open()).close()
    }

    @Test func `a file that does not exist is not created`() throws {
        for path in [file, file + "/beneath", folder + "/none/library.sqlite"] {
            #expect(refusal(path) == .noFile(path: path))
        }
        #expect(try content().isEmpty)
    }

    @Test(arguments: ["", "text", "SQLite format 3\0" + String(repeating: "x", count: 5_000)])
    func `a file that is no library is refused, and stays as it is`(text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let error = try #require(refusal())
        #expect(error.description.contains(file) && !error.description.contains("tessera-library-"))
        #expect(try content() == ["library.sqlite": Data(text.utf8)])
        #expect(refusal(folder)?.description.contains("not a file") == true)
    }

    @Test func `a damaged library is refused`() async throws {
        try await make()
        let size = try #require(try content()["library.sqlite"]).count
        let handle = try #require(FileHandle(forUpdatingAtPath: file))
        try handle.seek(toOffset: 100)
        try handle.write(contentsOf: Data(repeating: 0xff, count: size - 200))
        try handle.close()
        guard case .unusable(file, let reason)? = refusal() else { return #expect(Bool(false)) }
        #expect(reason.contains("malformed") || reason.contains("damaged"))
    }

    @Test(arguments: [
        "PRAGMA user_version = 2", "INSERT INTO record (kind, id, body) VALUES ('album', 'x', '{}')",
        "INSERT INTO audit (time, action) VALUES (1, 'albumMade')",
    ])
    func `a library of a newer version is refused`(statement: String) async throws {
        try await make()
        let queue = try DatabaseQueue(path: file)
        try await queue.write { db in try db.execute(sql: statement) }
        try queue.close()
        guard case .unusable(file, let reason)? = refusal() else { return #expect(Bool(false)) }
        #expect(reason.contains("newer version"))
    }
}
