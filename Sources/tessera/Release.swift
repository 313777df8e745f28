/// What this build calls itself.
enum Release {
    static let version = "1.0.0"
}
