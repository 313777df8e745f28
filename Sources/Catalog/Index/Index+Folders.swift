import FoundationEssentials
import GRDB

extension Index {
    /// The folders of a source with their stored fingerprints; nil if unknown.
    func folders(of key: String) throws -> [[UInt8]: FolderFingerprint?]? {
        try read { db in
            let rows = try Row.fetchCursor(
                db, sql: "SELECT path, print FROM folder WHERE source = (SELECT id FROM source WHERE key = ?)",
                arguments: [key])
            var folders: [[UInt8]: FolderFingerprint?] = [:]
            while let row = try rows.next() {
                guard let path = Data.fromDatabaseValue(row[0] as DatabaseValue) else { continue }
                let print = Data.fromDatabaseValue(row[1] as DatabaseValue).flatMap(FolderFingerprint.init)
                folders.updateValue(print, forKey: [UInt8](path))
            }
            return folders.isEmpty ? nil : folders
        }
    }

    /// Stores the fingerprints of a source's folders.
    ///
    /// - Parameter before: The fingerprints that this index already has, if known; equal ones are not written again.
    func keep(_ folders: [[UInt8]: FolderFingerprint?], of key: String, before: [[UInt8]: FolderFingerprint?]?) throws {
        let changed = folders.filter { before?[$0.key] != .some($0.value) }
        let gone = before?.keys.filter { folders[$0] == nil } ?? []
        guard before == nil || !changed.isEmpty || !gone.isEmpty else { return }
        try database.write { db in
            guard let id = try Int64.fetchOne(db, sql: "SELECT id FROM source WHERE key = ?", arguments: [key]) else {
                return
            }
            if before == nil { try db.execute(sql: "DELETE FROM folder WHERE source = ?", arguments: [id]) }
            let delete = try db.cachedStatement(sql: "DELETE FROM folder WHERE source = ? AND path = ?")
            for path in gone { try delete.execute(arguments: [id, Data(path)]) }
            let insert = try db.cachedStatement(sql: "INSERT OR REPLACE INTO folder VALUES (?, ?, ?)")
            for (path, fingerprint) in changed { try insert.execute(arguments: [id, Data(path), fingerprint?.data]) }
        }
    }
}
