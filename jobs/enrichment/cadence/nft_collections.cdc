// What contracts of non-fungible tokens say of their collections: one entry for each, in order, nil where there is no such
// contract or it says nothing.
import "MetadataViews"
import "ViewResolver"

access(all) struct Collection {
    access(all) var name: String?
    access(all) var description: String?
    access(all) var externalUrl: String?
    access(all) var squareImage: String?
    access(all) var bannerImage: String?
    access(all) let socials: {String: String}
    access(all) var storagePath: StoragePath?
    access(all) var publicPath: PublicPath?

    init() {
        self.name = nil
        self.description = nil
        self.externalUrl = nil
        self.squareImage = nil
        self.bannerImage = nil
        self.socials = {}
        self.storagePath = nil
        self.publicPath = nil
    }

    access(all) fun setDisplay(_ display: MetadataViews.NFTCollectionDisplay) {
        self.name = display.name
        self.description = display.description
        self.externalUrl = display.externalURL.url
        self.squareImage = display.squareImage.file.uri()
        self.bannerImage = display.bannerImage.file.uri()
        for name in display.socials.keys {
            self.socials[name] = display.socials[name]!.url
        }
    }

    access(all) fun setData(_ data: MetadataViews.NFTCollectionData) {
        self.storagePath = data.storagePath
        self.publicPath = data.publicPath
    }

    access(all) fun saysSomething(): Bool {
        return self.name != nil || self.storagePath != nil
    }
}

// A contract with several kinds of items tells them apart by type; most look at no type at all.
access(all) fun resolve(_ contract_: &{ViewResolver}, _ item: Type?, _ view: Type): AnyStruct? {
    if item != nil {
        if let answer = contract_.resolveContractView(resourceType: item, viewType: view) {
            return answer
        }
    }
    return contract_.resolveContractView(resourceType: nil, viewType: view)
}

access(all) fun main(addresses: [Address], names: [String], itemTypes: [String]): [Collection?] {
    let collections: [Collection?] = []
    var i = 0
    while i < addresses.length {
        let borrowed = getAccount(addresses[i]).contracts.borrow<&{ViewResolver}>(name: names[i])
        let item = CompositeType(itemTypes[i])
        i = i + 1
        if borrowed == nil {
            collections.append(nil)
            continue
        }
        let collection = Collection()
        if let view = resolve(borrowed!, item, Type<MetadataViews.NFTCollectionDisplay>()) {
            if let display = view as? MetadataViews.NFTCollectionDisplay {
                collection.setDisplay(display)
            }
        }
        if let view = resolve(borrowed!, item, Type<MetadataViews.NFTCollectionData>()) {
            if let data = view as? MetadataViews.NFTCollectionData {
                collection.setData(data)
            }
        }
        collections.append(collection.saysSomething() ? collection : nil)
    }
    return collections
}
