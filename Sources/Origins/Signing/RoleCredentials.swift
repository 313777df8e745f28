import Encodings
import Time

/// The credentials of the container or machine, as the role's service returns them in JSON.
enum RoleCredentials {
    /// Nil if the body does not contain credentials.
    static func credentials(in body: [UInt8]) -> Credentials? {
        do {
            let answer = try JSONField(body)
            let expiration = try answer["Expiration"]?.unlessNull?.text()
            return Credentials(
                accessKey: try answer.required("AccessKeyId").text(),
                secretKey: try answer.required("SecretAccessKey").text(),
                sessionToken: try answer["Token"]?.unlessNull?.text(),
                expires: expiration.map { Timestamp($0)?.seconds ?? 0 })
        } catch {
            return nil
        }
    }
}
