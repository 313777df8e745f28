import Testing

@testable import Catalog

@Suite struct SkippedNameTests {
    @Test(
        arguments: [
            // QNAP, Synology, other network storage
            "@Recycle", "@recycle", "@Recently-Snapshot", "@Snapshot", "@eaDir", "#recycle", "#snapshot", "@tmp",
            "@sharebin",
            "~snapshot", "Network Recycle Bin",
            // Windows, macOS, Linux desktops
            "$RECYCLE.BIN", "$Recycle.Bin", "System Volume Information", "Thumbs.db", "desktop.ini", "__MACOSX",
            "Temporary Items", "lost+found", ".Trash-1000", ".Trashes", ".thumbnails", ".@__thumb", "._IMG_1.jpg",
            ".hidden",
        ])
    func `leftovers and hidden names are skipped in any case`(name: String) {
        #expect(SkippedName.contains(Array(name.utf8)))
        #expect(SkippedName.contains(Array(name.uppercased().utf8)))
    }

    @Test(
        arguments: [
            "", "Recycled", "recycle", "eaDir", "tmp", "@tmp2", "@Recycle.jpg", "snapshot", "lost and found", "#1",
            "@home",
            "$RECYCLE.BIN.jpg", "\u{e9}t\u{e9}",
        ])
    func `names that people give are not skipped`(name: String) {
        #expect(!SkippedName.contains(Array(name.utf8)))
    }
}
