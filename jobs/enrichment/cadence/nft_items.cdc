// What items say of themselves: one entry for each, in order, nil where the account has no such item in a collection in
// its storage. `paths` say where each collection is expected, "" where that is not known.
import "MetadataViews"
import "NonFungibleToken"

access(all) struct Trait {
    access(all) let name: String
    access(all) let value: String?
    access(all) let displayType: String?
    access(all) let rarity: String?

    init(_ trait: MetadataViews.Trait) {
        self.name = trait.name
        self.value = text(trait.value)
        self.displayType = trait.displayType
        self.rarity = trait.rarity?.description
    }
}

access(all) struct Item {
    access(all) let uuid: UInt64
    access(all) let name: String?
    access(all) let description: String?
    access(all) let thumbnail: String?
    access(all) let externalUrl: String?
    access(all) let serialNumber: UInt64?
    access(all) let editionName: String?
    access(all) let editionNumber: UInt64?
    access(all) let editionMax: UInt64?
    access(all) let rarityScore: UFix64?
    access(all) let rarityDescription: String?
    access(all) let traits: [Trait]

    init(_ item: &{NonFungibleToken.NFT}) {
        let display = MetadataViews.getDisplay(item)
        let edition = firstEdition(item)
        let rarity = MetadataViews.getRarity(item)
        self.uuid = item.uuid
        self.name = display?.name
        self.description = display?.description
        self.thumbnail = display?.thumbnail?.uri()
        self.externalUrl = MetadataViews.getExternalURL(item)?.url
        self.serialNumber = MetadataViews.getSerial(item)?.number
        self.editionName = edition?.name
        self.editionNumber = edition?.number
        self.editionMax = edition?.max
        self.rarityScore = rarity?.score
        self.rarityDescription = rarity?.description
        self.traits = []
        if let traits = MetadataViews.getTraits(item) {
            for trait in traits.traits {
                self.traits.append(Trait(trait))
            }
        }
    }
}

access(all) fun firstEdition(_ item: &{NonFungibleToken.NFT}): MetadataViews.Edition? {
    if let editions = MetadataViews.getEditions(item) {
        return editions.infoList.length > 0 ? editions.infoList[0] : nil
    }
    return nil
}

// A trait may be any value; those that are no text and no number are left out, since not every value can leave a script.
access(all) fun text(_ value: AnyStruct): String? {
    if let content = value as? String { return content }
    if let content = value as? Number { return content.toString() }
    if let content = value as? Bool { return content ? "true" : "false" }
    if let content = value as? Address { return content.toString() }
    if let content = value as? Character { return content.toString() }
    if let content = value as? Path { return content.toString() }
    if let content = value as? Type { return content.identifier }
    if let content = value as? [String] { return String.join(content, separator: ", ") }
    return nil
}

access(all) fun startsWith(_ identifier: String, _ prefix: String): Bool {
    return identifier.length > prefix.length && identifier.slice(from: 0, upTo: prefix.length) == prefix
}

access(all) fun borrowItem(
    _ collection: &{NonFungibleToken.Collection}, _ id: UInt64, _ itemType: String
): &{NonFungibleToken.NFT}? {
    if let item = collection.borrowNFT(id) {
        return item.getType().identifier == itemType ? item : nil
    }
    return nil
}

// Where it is expected, and otherwise in all collections of the contract, published or not.
access(all) fun find(
    _ owner: Address, _ path: String, _ contractPrefix: String, _ itemType: String, _ id: UInt64
): &{NonFungibleToken.NFT}? {
    let account = getAuthAccount<auth(Storage) &Account>(owner)
    if path != "" {
        if let expected = StoragePath(identifier: path) {
            if let type = account.storage.type(at: expected) {
                if startsWith(type.identifier, contractPrefix)
                    && type.isSubtype(of: Type<@{NonFungibleToken.Collection}>()) {
                    let collection = account.storage.borrow<&{NonFungibleToken.Collection}>(from: expected)!
                    if let item = borrowItem(collection, id, itemType) { return item }
                }
            }
        }
    }
    let others: [StoragePath] = []
    account.storage.forEachStored(fun (stored: StoragePath, type: Type): Bool {
        if startsWith(type.identifier, contractPrefix) && type.isSubtype(of: Type<@{NonFungibleToken.Collection}>()) {
            others.append(stored)
        }
        return true
    })
    for other in others {
        let collection = account.storage.borrow<&{NonFungibleToken.Collection}>(from: other)!
        if let item = borrowItem(collection, id, itemType) { return item }
    }
    return nil
}

access(all) fun main(
    owners: [Address], paths: [String], contractPrefixes: [String], itemTypes: [String], ids: [UInt64]
): [Item?] {
    let items: [Item?] = []
    var i = 0
    while i < owners.length {
        if let item = find(owners[i], paths[i], contractPrefixes[i], itemTypes[i], ids[i]) {
            items.append(Item(item))
        } else {
            items.append(nil)
        }
        i = i + 1
    }
    return items
}
