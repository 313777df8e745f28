/// The version of this build: the one place that states it. `Scripts/version` reads it from here; the Debian package, the
/// image's labels and the SBOM follow from that or from `tessera --version`.
enum Release {
    static let version = "1.0.0"
}
