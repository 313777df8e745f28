/// How far the looking into files has come.
struct ExaminationProgress: Encodable, Hashable, Sendable {
    /// Files that have been looked into as they are.
    var done = 0
    /// Files of folders.
    var total = 0
}
