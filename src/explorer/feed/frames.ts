/** A ping without content, RFC 6455 §5.5.2. */
export const pingFrame = Buffer.from([0x89, 0])

/**
 * A whole text message as one frame of a server, which is not masked (RFC 6455 §5.2), so that the same bytes go to all.
 * @param text in UTF-8
 */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const headLength = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(headLength + length)
  frame[0] = 0x81
  if (headLength === 2) frame[1] = length
  else if (headLength === 4) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  frame.write(text, headLength)
  return frame
}
