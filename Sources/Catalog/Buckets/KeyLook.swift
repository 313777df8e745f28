/// Looks at some objects of a bucket, each by itself: by the beginning of a listing of what begins with the whole key, of
/// which the key itself stands first. So the leave to list is enough, and what is told of an object is what a listing tells.
struct KeyLook {
    /// Questions that are on their way.
    static let atATime = 16

    let address: BucketAddress
    let store: any ObjectStoreAsking
    let isStopped: () -> Bool

    /// What lies at these paths now; of fewer paths when `isStopped` said true.
    ///
    /// A key that the store will not be asked for, as it may be one that nobody has, is passed over.
    ///
    /// - Throws: ``BucketRefusal`` when the store does not tell now.
    func scopes(of paths: [[UInt8]]) throws -> [FolderUpdate.Scope] {
        func ask(_ path: [UInt8]) -> PageRequest { PageRequest(address.listing(of: path), to: store) }
        var scopes: [FolderUpdate.Scope] = []
        var asked = paths.prefix(Self.atATime).map(ask)
        for (number, path) in paths.enumerated() {
            let place = number % Self.atATime
            do {
                guard let page = try asked[place].page(of: address, unless: isStopped) else { break }
                let key = Array(address.prefix.utf8) + path
                let sighting = page.objects.first { $0.key == key }.flatMap { Sighting($0, beneath: address.prefix) }
                scopes.append(.init(path: path, extent: .file, sightings: sighting.map { [$0] } ?? []))
            } catch let refusal as BucketRefusal where !refusal.isPassing && refusal.isOfKey {}
            let next = number + Self.atATime
            if next < paths.count { asked[place] = ask(paths[next]) }
        }
        return scopes
    }
}
