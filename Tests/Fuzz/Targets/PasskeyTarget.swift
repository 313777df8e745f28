import Encodings
import Hashing

@testable import Accounts

/// What an authenticator and a browser say. The first byte selects authenticator data, client data, or a whole response,
/// in which the next two bytes are the length of the client data.
enum PasskeyTarget: FuzzTarget {
    private static let party = RelyingParty(id: "localhost", origin: "http://localhost:8080")

    static func run(_ input: [UInt8]) {
        guard let first = input.first else { return }
        let bytes = Array(input.dropFirst())
        switch first % 4 {
        case 0:
            guard let data = AuthenticatorData(bytes) else { return }
            precondition(bytes.starts(with: data.relyingParty + [data.flags.rawValue]))
            precondition((data.credential != nil) == data.flags.contains(.credentialIncluded))
            guard let credential = data.credential else { return }
            precondition((1...Passkey.longestCredential).contains(credential.count))
            precondition(bytes.dropFirst(55).starts(with: credential), "another credential")
        case 1:
            guard let json = try? JSONField(bytes), let client = try? ClientData(json) else { return }
            let challenge = try? json.required("challenge").text()
            precondition(challenge == Base64.url.encode(client.challenge), "two texts for one challenge")
        default:
            check(bytes, first % 4 == 2 ? ClientData.signIn : ClientData.creation)
        }
    }

    private static func check(_ bytes: [UInt8], _ type: String) {
        guard bytes.count >= 2 else { return }
        let rest = bytes.dropFirst(2)
        let length = Int(bytes[0]) << 8 | Int(bytes[1])
        let response = PasskeyResponse(
            credential: [1], clientData: Array(rest.prefix(length)), authenticatorData: Array(rest.dropFirst(length)))
        precondition(response.signedBytes.count == response.authenticatorData.count + 32)
        do throws(AccountsError) {
            let (client, authenticator) = try response.read(type, at: party)
            precondition(client.type == type && client.origin == party.origin && !client.isCrossOrigin)
            precondition(authenticator.relyingParty == SHA256.hash(Array(party.id.utf8)))
            precondition(authenticator.flags.isSuperset(of: [.userPresent, .userVerified]))
        } catch {
            precondition(error == .passkeyRefused)
        }
    }
}
