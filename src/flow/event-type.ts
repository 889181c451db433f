export interface EventTypeParts {
  /** Account of the contract, 16 hex digits without `0x`; undefined for the events of the protocol itself. */
  readonly address: string | undefined
  readonly contract: string | undefined
  readonly name: string
}

/**
 * Takes an event type apart: `A.1654653399040a61.FlowToken.TokensDeposited`, or `flow.AccountCreated`.
 * What is of neither form is all name.
 */
export function parseEventType(type: string): EventTypeParts {
  const contractEvent = /^A\.([0-9a-f]{16})\.([^.]+)\.(.+)$/.exec(type)
  if (contractEvent !== null) {
    return { address: contractEvent[1], contract: contractEvent[2], name: contractEvent[3] as string }
  }
  return { address: undefined, contract: undefined, name: type.startsWith('flow.') ? type.slice('flow.'.length) : type }
}
