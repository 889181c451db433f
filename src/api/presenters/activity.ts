import { z } from 'zod'
import { contractParts } from '../formats/contract-parts.ts'
import { addressFormat, amountFormat, countFormat } from '../formats/formats.ts'

/** A contract that was used. */
export const busyContractSchema = z
  .strictObject({
    contract_identifier: z.string().describe('`A.<address>.<name>`.'),
    contract_name: z.string(),
    address: addressFormat.describe('Account that has the contract.'),
    tx_count: countFormat.describe('Transactions of users whose script imports it.'),
  })
  .meta({ id: 'BusyContract' })
export type BusyContract = z.output<typeof busyContractSchema>

/** A fungible token that moved. */
export const tokenVolumeSchema = z
  .strictObject({
    token: z.string().describe('`A.<address>.<name>`.'),
    name: z
      .string()
      .nullable()
      .describe(
        'As people call it. Null, as symbol and logo, where the contract does not say it, or was not asked yet.',
      ),
    symbol: z.string().nullable(),
    contract_name: z.string(),
    address: addressFormat.describe('Account that has the contract.'),
    logo: z.string().nullable().describe('Address of an image.'),
    transfer_count: countFormat.describe(
      'Movements, without fees and without what the bridge locks up and gives back.',
    ),
    total_amount: amountFormat.describe('Sum of them, in whole tokens.'),
    usd_volume: amountFormat
      .nullable()
      .describe(
        'Sum of them in US dollars, each day at the last price known on it, of at most 48 hours before its end. Null where there is ' +
          'none for a day on which the token moved.',
      ),
  })
  .meta({ id: 'TokenVolume' })
export type TokenVolume = z.output<typeof tokenVolumeSchema>

/** How often something was used, as it is read. */
export const contractUseRow = z.object({ name: z.string(), count: z.number() })

/** What moved of a token, as it is read. */
export const tokenVolumeRow = z.object({
  name: z.string(),
  count: z.number(),
  amount: z.string(),
  usd: z.string().nullable(),
  title: z.string().nullable(),
  symbol: z.string().nullable(),
  logo: z.string().nullable(),
})

export function presentContractUse({ name, count }: z.output<typeof contractUseRow>): BusyContract {
  const { address, name: contractName } = contractParts(name)
  return { contract_identifier: name, contract_name: contractName, address, tx_count: count }
}

export function presentTokenVolume(row: z.output<typeof tokenVolumeRow>): TokenVolume {
  const { address, name: contractName } = contractParts(row.name)
  return {
    token: row.name,
    name: row.title,
    symbol: row.symbol,
    contract_name: contractName,
    address,
    logo: row.logo,
    transfer_count: row.count,
    total_amount: row.amount,
    usd_volume: row.usd,
  }
}
