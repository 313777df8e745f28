/// Where to find credentials, in the same order as AWS programs: the environment, the shared credentials file, the
/// container's role, the machine's role.
public struct CredentialSettings: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// Whether to send requests without a signature.
    public var isAnonymous = false
    let given: Credentials?
    let file: String?
    let profile: String
    /// Whether the file or the profile was named explicitly, so that no other place may be used.
    let isFileNamed: Bool
    let containerURL: String?
    let containerToken: String?
    let containerTokenFile: String?
    /// The machine's metadata service; nil if it must not be used.
    let metadataURL: String?

    /// - Parameter environment: The process's environment variables.
    public init(environment: [String: String]) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        given = Credentials(
            accessKey: value("AWS_ACCESS_KEY_ID"), secretKey: value("AWS_SECRET_ACCESS_KEY"),
            sessionToken: value("AWS_SESSION_TOKEN"))
        file = value("AWS_SHARED_CREDENTIALS_FILE") ?? value("HOME").map { $0 + "/.aws/credentials" }
        profile = value("AWS_PROFILE") ?? "default"
        isFileNamed = value("AWS_PROFILE") != nil || value("AWS_SHARED_CREDENTIALS_FILE") != nil
        if let path = value("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"), path.hasPrefix("/") {
            containerURL = "http://169.254.170.2" + path
        } else {
            containerURL = value("AWS_CONTAINER_CREDENTIALS_FULL_URI")
        }
        containerToken = value("AWS_CONTAINER_AUTHORIZATION_TOKEN")
        containerTokenFile = value("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")
        metadataURL =
            value("AWS_EC2_METADATA_DISABLED")?.lowercased() == "true"
            ? nil : value("AWS_EC2_METADATA_SERVICE_ENDPOINT") ?? "http://169.254.169.254"
    }

    public var description: String { "where credentials may be" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
