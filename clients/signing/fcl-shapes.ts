import type { FclSignable, FclSignature, FclVoucher } from './fcl-signable.ts'
import { SigningError } from './signing-error.ts'

/** Longest transaction that the chain accepts, in bytes. */
const maxScript = 1_500_000
const maxItems = 1000

type Fields = Readonly<Record<string, unknown>>

/** Reads an untrusted `Signable`. @throws SigningError that names the field */
export function fclSignableOf(body: unknown): FclSignable {
  const fields = fieldsOf(body, 'signable')
  return {
    message: textOf(fields['message'], 'message', 4 * maxScript),
    addr: textOf(fields['addr'], 'addr', 18),
    keyId: countOf(fields['keyId'], 'keyId'),
    voucher: voucherOf(fieldsOf(fields['voucher'], 'voucher')),
  }
}

function voucherOf(voucher: Fields): FclVoucher {
  const key = fieldsOf(voucher['proposalKey'], 'voucher.proposalKey')
  return {
    cadence: textOf(voucher['cadence'], 'voucher.cadence', maxScript),
    refBlock: textOf(voucher['refBlock'], 'voucher.refBlock', 66),
    computeLimit: countOf(voucher['computeLimit'], 'voucher.computeLimit'),
    arguments: listOf(voucher['arguments'], 'voucher.arguments').map((argument, at) =>
      fieldsOf(argument, `voucher.arguments[${at}]`),
    ),
    proposalKey: {
      address: textOf(key['address'], 'voucher.proposalKey.address', 18),
      keyId: countOf(key['keyId'], 'voucher.proposalKey.keyId'),
      sequenceNum: countOf(key['sequenceNum'], 'voucher.proposalKey.sequenceNum'),
    },
    payer: textOf(voucher['payer'], 'voucher.payer', 18),
    authorizers: listOf(voucher['authorizers'], 'voucher.authorizers').map((one, at) =>
      textOf(one, `voucher.authorizers[${at}]`, 18),
    ),
    payloadSigs: signaturesOf(voucher['payloadSigs'], 'voucher.payloadSigs'),
    envelopeSigs: signaturesOf(voucher['envelopeSigs'], 'voucher.envelopeSigs'),
  }
}

/** Some libraries omit empty lists. */
function signaturesOf(value: unknown, field: string): readonly FclSignature[] {
  return listOf(value ?? [], field).map((one, at) => {
    const signature = fieldsOf(one, `${field}[${at}]`)
    return {
      address: textOf(signature['address'], `${field}[${at}].address`, 18),
      keyId: countOf(signature['keyId'], `${field}[${at}].keyId`),
      sig: optionalText(signature['sig'], `${field}[${at}].sig`),
      extensionData: optionalText(signature['extensionData'], `${field}[${at}].extensionData`),
    }
  })
}

/** @throws SigningError */
export function fieldsOf(value: unknown, field: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SigningError(field, 'must be an object')
  return value as Fields
}

/** @throws SigningError unless it is a string of at most `max` characters */
export function textOf(value: unknown, field: string, max: number): string {
  if (typeof value !== 'string') throw new SigningError(field, 'must be a string')
  if (value.length > max) throw new SigningError(field, `must have at most ${max} characters`)
  return value
}

function optionalText(value: unknown, field: string): string | null | undefined {
  return value === undefined || value === null ? value : textOf(value, field, maxScript)
}

function countOf(value: unknown, field: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new SigningError(field, 'must be a non-negative integer')
  return value
}

function listOf(value: unknown, field: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new SigningError(field, 'must be a list')
  if (value.length > maxItems) throw new SigningError(field, `must have at most ${maxItems} items`)
  return value
}
