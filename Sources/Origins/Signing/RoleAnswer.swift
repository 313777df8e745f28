import FoundationEssentials

/// What a role's service says: the credentials of the container or of the machine, as JSON.
struct RoleAnswer: Decodable {
    private enum CodingKeys: String, CodingKey {
        case accessKey = "AccessKeyId"
        case secretKey = "SecretAccessKey"
        case token = "Token"
        case expiration = "Expiration"
    }

    private let accessKey: String
    private let secretKey: String
    private let token: String?
    private let expiration: String?

    /// Nil for anything else than credentials.
    static func credentials(in body: [UInt8]) -> Credentials? {
        guard let answer = try? JSONDecoder().decode(RoleAnswer.self, from: Data(body)) else { return nil }
        let expires = answer.expiration.flatMap { try? Date($0, strategy: .iso8601) }
            .map { Int64($0.timeIntervalSince1970) }
        return Credentials(
            accessKey: answer.accessKey, secretKey: answer.secretKey, sessionToken: answer.token,
            expires: expires ?? (answer.expiration == nil ? nil : 0))
    }
}
