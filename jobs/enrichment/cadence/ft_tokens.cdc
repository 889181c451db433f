// What contracts of fungible tokens say of themselves: one entry for each, in order, nil where there is no such contract
// or it says nothing.
import "FungibleTokenMetadataViews"
import "ViewResolver"

access(all) struct Token {
    access(all) var name: String?
    access(all) var symbol: String?
    access(all) var description: String?
    access(all) var externalUrl: String?
    access(all) var logo: String?
    access(all) let socials: {String: String}
    access(all) var vaultPath: StoragePath?
    access(all) var receiverPath: PublicPath?
    access(all) var balancePath: PublicPath?
    access(all) var totalSupply: UFix64?

    init() {
        self.name = nil
        self.symbol = nil
        self.description = nil
        self.externalUrl = nil
        self.logo = nil
        self.socials = {}
        self.vaultPath = nil
        self.receiverPath = nil
        self.balancePath = nil
        self.totalSupply = nil
    }

    access(all) fun setDisplay(_ display: FungibleTokenMetadataViews.FTDisplay) {
        self.name = display.name
        self.symbol = display.symbol
        self.description = display.description
        self.externalUrl = display.externalURL.url
        if display.logos.items.length > 0 {
            self.logo = display.logos.items[0].file.uri()
        }
        for name in display.socials.keys {
            self.socials[name] = display.socials[name]!.url
        }
    }

    access(all) fun setVaultData(_ data: FungibleTokenMetadataViews.FTVaultData) {
        self.vaultPath = data.storagePath
        self.receiverPath = data.receiverPath
        self.balancePath = data.metadataPath
    }

    access(all) fun setSupply(_ supply: FungibleTokenMetadataViews.TotalSupply) {
        self.totalSupply = supply.supply
    }

    access(all) fun saysSomething(): Bool {
        return self.name != nil || self.vaultPath != nil || self.totalSupply != nil
    }
}

// A contract with several vaults tells them apart by type; most look at no type at all.
access(all) fun resolve(_ contract_: &{ViewResolver}, _ vault: Type?, _ view: Type): AnyStruct? {
    if vault != nil {
        if let answer = contract_.resolveContractView(resourceType: vault, viewType: view) {
            return answer
        }
    }
    return contract_.resolveContractView(resourceType: nil, viewType: view)
}

access(all) fun main(addresses: [Address], names: [String], vaultTypes: [String]): [Token?] {
    let tokens: [Token?] = []
    var i = 0
    while i < addresses.length {
        let borrowed = getAccount(addresses[i]).contracts.borrow<&{ViewResolver}>(name: names[i])
        let vault = CompositeType(vaultTypes[i])
        i = i + 1
        if borrowed == nil {
            tokens.append(nil)
            continue
        }
        let token = Token()
        if let view = resolve(borrowed!, vault, Type<FungibleTokenMetadataViews.FTDisplay>()) {
            if let display = view as? FungibleTokenMetadataViews.FTDisplay {
                token.setDisplay(display)
            }
        }
        if let view = resolve(borrowed!, vault, Type<FungibleTokenMetadataViews.FTVaultData>()) {
            if let data = view as? FungibleTokenMetadataViews.FTVaultData {
                token.setVaultData(data)
            }
        }
        if let view = resolve(borrowed!, vault, Type<FungibleTokenMetadataViews.TotalSupply>()) {
            if let supply = view as? FungibleTokenMetadataViews.TotalSupply {
                token.setSupply(supply)
            }
        }
        tokens.append(token.saysSomething() ? token : nil)
    }
    return tokens
}
