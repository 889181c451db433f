/// Adds a key to an account that lost its keys, after a delay in which its owner can cancel. The
/// owner stores a capability for that in the account itself. It never leaves this contract, which
/// must be deployed to an account without keys, so that its code cannot change.
access(all) contract FlowfarmRecovery {

    /// For the owner of an account.
    access(all) entitlement Manage
    /// For the recoverer, the only account that can announce and complete.
    access(all) entitlement Recover

    /// Seconds from the announcement until it can be completed; twice that until it expires.
    access(all) let delay: UFix64
    access(all) let storagePath: StoragePath
    access(all) let publicPath: PublicPath
    access(all) let recovererPath: StoragePath

    access(all) event Enabled(account: Address, recoverer: Address, user: String)
    access(all) event Announced(account: Address, recoverer: Address, publicKey: String, dueAt: UFix64)
    access(all) event Cancelled(account: Address, isByOwner: Bool)
    access(all) event Completed(account: Address, publicKey: String, keyIndex: Int)

    access(all) struct Announcement {
        /// Hex digits of a P-256 key.
        access(all) let publicKey: String
        /// Block timestamps.
        access(all) let dueAt: UFix64
        access(all) let expiresAt: UFix64

        init(publicKey: String) {
            // Fails if it is not a point of the curve.
            FlowfarmRecovery.key(publicKey)
            self.publicKey = publicKey
            self.dueAt = getCurrentBlock().timestamp + FlowfarmRecovery.delay
            self.expiresAt = self.dueAt + FlowfarmRecovery.delay * 2.0
        }
    }

    /// Stored in the account that it recovers. Destroying it switches the recovery off.
    access(all) resource AccountRecovery {
        access(all) let account: Address
        access(all) let recoverer: Address
        /// Whom the recoverer may recover the account for, in its own words.
        access(all) let user: String
        access(all) let capabilityId: UInt64
        access(all) var announcement: Announcement?
        access(self) let capability: Capability<auth(AddKey) &Account>

        access(all) event ResourceDestroyed(account: Address = self.account)

        init(capability: Capability<auth(AddKey) &Account>, recoverer: Address, user: String) {
            self.account = capability.address
            self.recoverer = recoverer
            self.user = user
            self.capabilityId = capability.id
            self.announcement = nil
            self.capability = capability
        }

        /// Whether the account that stores it is the one that it recovers, and did not revoke it.
        access(all) view fun isUsable(): Bool {
            return self.owner?.address == self.account && self.capability.check()
        }

        access(Manage) fun cancel() {
            self.end(isByOwner: true)
        }

        access(contract) fun announce(recoverer: Address, publicKey: String) {
            pre {
                recoverer == self.recoverer: "Another account recovers this one"
                self.isUsable(): "The owner revoked the recovery"
            }
            let announcement = Announcement(publicKey: publicKey)
            self.announcement = announcement
            emit Announced(
                account: self.account,
                recoverer: recoverer,
                publicKey: publicKey,
                dueAt: announcement.dueAt
            )
        }

        access(contract) fun cancelAs(recoverer: Address) {
            pre { recoverer == self.recoverer: "Another account recovers this one" }
            self.end(isByOwner: false)
        }

        access(contract) fun complete(recoverer: Address) {
            pre {
                recoverer == self.recoverer: "Another account recovers this one"
                self.isUsable(): "The owner revoked the recovery"
            }
            let announcement = self.announcement ?? panic("No recovery is announced")
            let now = getCurrentBlock().timestamp
            assert(now >= announcement.dueAt, message: "The delay has not passed")
            assert(now < announcement.expiresAt, message: "The announcement has expired")
            self.announcement = nil
            let added = self.capability.borrow()!.keys.add(
                publicKey: FlowfarmRecovery.key(announcement.publicKey),
                hashAlgorithm: HashAlgorithm.SHA2_256,
                weight: 1000.0
            )
            emit Completed(account: self.account, publicKey: announcement.publicKey, keyIndex: added.keyIndex)
        }

        access(self) fun end(isByOwner: Bool) {
            if self.announcement == nil {
                return
            }
            self.announcement = nil
            emit Cancelled(account: self.account, isByOwner: isByOwner)
        }
    }

    /// Acts as the account that stores it.
    access(all) resource Recoverer {

        access(Recover) fun announce(account: Address, publicKey: String) {
            self.recovery(account).announce(recoverer: self.owner!.address, publicKey: publicKey)
        }

        access(Recover) fun cancel(account: Address) {
            self.recovery(account).cancelAs(recoverer: self.owner!.address)
        }

        access(Recover) fun complete(account: Address) {
            self.recovery(account).complete(recoverer: self.owner!.address)
        }

        access(self) fun recovery(_ account: Address): &AccountRecovery {
            return FlowfarmRecovery.recovery(account) ?? panic("The account has no recovery")
        }
    }

    access(all) fun enable(
        capability: Capability<auth(AddKey) &Account>,
        recoverer: Address,
        user: String
    ): @AccountRecovery {
        pre {
            capability.check(): "The capability is not valid"
            user.length <= 100: "The user is longer than 100 characters"
        }
        emit Enabled(account: capability.address, recoverer: recoverer, user: user)
        return <-create AccountRecovery(capability: capability, recoverer: recoverer, user: user)
    }

    access(all) fun createRecoverer(): @Recoverer {
        return <-create Recoverer()
    }

    /// Nil if it is off, or stored in another account than it recovers.
    access(all) view fun recovery(_ account: Address): &AccountRecovery? {
        let found = getAccount(account).capabilities.borrow<&AccountRecovery>(self.publicPath)
        return found?.account == account ? found : nil
    }

    access(contract) view fun key(_ publicKey: String): PublicKey {
        return PublicKey(
            publicKey: publicKey.decodeHex(),
            signatureAlgorithm: SignatureAlgorithm.ECDSA_P256
        )
    }

    init(delay: UFix64) {
        pre { delay > 0.0: "The delay must be positive" }
        self.delay = delay
        let name = "flowfarmRecovery_".concat(self.account.address.toString())
        self.storagePath = StoragePath(identifier: name)!
        self.publicPath = PublicPath(identifier: name)!
        self.recovererPath = StoragePath(identifier: name.concat("_recoverer"))!
    }
}
