import { amountText, amountUnits } from '../../../clients/signing/transactions/cadence-arguments.ts'

/** What an account keeps for its storage and for fees, in units of 10^-8 FLOW: more of it would be refused by the chain. */
export const keptUnits = 1_000_000n

/** Transactions can name no more, and there is less: 2^64 units of 10^-8. */
const mostFlow = 184_467_440_737
/** Of an amount that they can name. */
const mostCharacters = 21

/** As people read it: thousands apart, and no zeros at the end. `1234.50000000` → `1,234.5`. */
export function plainAmount(text: string): string {
  const [whole = '0', part = ''] = text.split('.')
  const rest = part.replace(/0+$/, '')
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',')
  return rest === '' ? grouped : `${grouped}.${rest}`
}

/** The same of an amount in units of 10^-8. */
export function plainUnits(units: bigint): string {
  return plainAmount(amountText(units))
}

/** The most that can be sent of a balance. */
export function mostToSend(balance: string): bigint {
  const units = amountUnits(balance, 'balance')
  return units > keptUnits ? units - keptUnits : 0n
}

/** What is wrong with an amount that was typed; undefined: nothing. */
export function amountProblem(text: string, balance: string | undefined): string | undefined {
  if (!/^\d+(?:\.\d{1,8})?$/.test(text)) return 'Write it as 12 or 12.5, with at most 8 decimals and a point.'
  if (text.length > mostCharacters || Number(text) > mostFlow) return 'There is not so much FLOW.'
  const units = amountUnits(text)
  if (units === 0n) return 'Nothing would be sent.'
  if (balance !== undefined && units > mostToSend(balance))
    return `That is more than can be sent: ${plainUnits(mostToSend(balance))} FLOW. The rest stays for storage and fees.`
  return undefined
}
