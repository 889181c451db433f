/** Whole tokens from which on a movement of a token is a big one, unless it is listed below. */
const usualAmount = 1000

/**
 * Tokens of which one is worth thousands of dollars. What a token is worth changes and is not told by the chain, so the
 * amounts are small enough to leave room: whoever reads by worth looks at prices, and finds what is here. All are of mainnet;
 * amounts are of whole tokens, however many decimals the token has in EVM.
 *
 * Source of the identifiers: onflow/docs, "Stablecoins and wrapped assets", and for those of the Celer bridge the registry of
 * FlowFans/flow-token-list.
 */
const smallerAmounts: ReadonlyMap<string, number> = new Map([
  // Bitcoin: ceWBTC, WBTC and cbBTC
  ['A.231cc0dbbcffc4b7.ceWBTC', 0.02],
  ['A.1e4aa0b87d10b141.EVMVMBridgedToken_717dae2baf7656be9a9b01dee31d571a9d4c9579', 0.02],
  ['A.1e4aa0b87d10b141.EVMVMBridgedToken_a0197b2044d28b08be34d98b23c9312158ea9a18', 0.02],
  // Ether: ceWETH and WETH
  ['A.231cc0dbbcffc4b7.ceWETH', 0.5],
  ['A.1e4aa0b87d10b141.EVMVMBridgedToken_2f6f07cdcf3588944bf4c42ac74ff24bf56e7590', 0.5],
])

/** Whether a movement belongs to the big ones of its token. @param amount decimal text, in whole tokens */
export function isBigAmount(token: string, amount: string): boolean {
  return Number(amount) >= (smallerAmounts.get(token) ?? usualAmount)
}
