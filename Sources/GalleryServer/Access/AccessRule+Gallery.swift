import HTTPServer

/// The rules of the gallery's routes; every route has one. Without accounts, everybody may do what is not about accounts.
extension AccessRule {
    /// Everybody may use the route.
    static let everyone = AccessRule("everyone")
    /// Everybody may use the route, but not below the path of a share.
    static let entrance = AccessRule("entrance")
    /// The route checks a secret of its own.
    static let secret = AccessRule("secret")
    /// To see pictures; the scope `view`.
    static let view = AccessRule("view")
    /// Like ``view``; or the URL carries a link of its own, which the route checks.
    static let picture = AccessRule("picture")
    /// To see the state of the server; the scope `operate`.
    static let operate = AccessRule("operate")
    /// A person who is signed in may use the route, for the person's own account; no app token may.
    static let account = AccessRule("account")
    /// Like ``account``, and the account may share.
    static let share = AccessRule("share")
    /// An owner who is signed in may use the route; no app token may.
    static let manage = AccessRule("manage")
}
