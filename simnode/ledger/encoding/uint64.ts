const whole = new BigInt64Array(1)
const halves = new Uint32Array(whole.buffer)
const lowIndex = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 0 : 1

/** The two halves of a bigint modulo 2^64, without arithmetic of bigints: that would take longer than all the rest. */
export const splitUint64 = {
  set(value: bigint): void {
    whole[0] = value
  },

  get high(): number {
    return halves[1 - lowIndex] as number
  },

  get low(): number {
    return halves[lowIndex] as number
  },
}
