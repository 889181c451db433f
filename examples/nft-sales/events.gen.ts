// Events of A.f8d6e0586b0a20c7.NFTStorefrontV2, written by npm run worker -- init. Numbers are decimal strings.

export type Events = {
  ListingAvailable: {
    /** Address */
    storefrontAddress: string
    /** UInt64 */
    listingResourceID: string
    /** Type */
    nftType: string | null
    /** UInt64 */
    nftUUID: string
    /** UInt64 */
    nftID: string
    /** Type */
    salePaymentVaultType: string | null
    /** UFix64 */
    salePrice: string
    /** String? */
    customID: string | null
    /** UFix64 */
    commissionAmount: string
    /** [Address]? */
    commissionReceivers: string[] | null
    /** UInt64 */
    expiry: string
  }
  ListingCompleted: {
    /** UInt64 */
    listingResourceID: string
    /** UInt64 */
    storefrontResourceID: string
    /** Bool */
    purchased: boolean
    /** Type */
    nftType: string | null
    /** UInt64 */
    nftUUID: string
    /** UInt64 */
    nftID: string
    /** Type */
    salePaymentVaultType: string | null
    /** UFix64 */
    salePrice: string
    /** String? */
    customID: string | null
    /** UFix64 */
    commissionAmount: string
    /** Address? */
    commissionReceiver: string | null
    /** UInt64 */
    expiry: string
  }
}

/** Any value. */
export type Value = string | boolean | null | Value[] | { [name: string]: Value }
