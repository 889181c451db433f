/**
 * The account, as text, and the name of a contract.
 * @param contract `A.<address>.<name>`; the name of a type may follow, as tokens have it
 */
export function contractParts(contract: string): { readonly address: string; readonly name: string } {
  const [, digits = '', name = ''] = contract.split('.')
  return { address: `0x${digits}`, name }
}
