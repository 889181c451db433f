/**
 * The numbers of HTTP/2. Source: RFC 9113, sections 6 and 7.
 */

/** What a client sends before its first frame. */
export const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'

/** Length in 3 bytes, type, flags, and the stream's number in 4. */
export const frameHeaderLength = 9

/** Longest payload that a side must take; we never ask for more. */
export const defaultMaxFrameSize = 16_384

/** Window of a stream, and of a connection, before anybody says otherwise. */
export const defaultWindow = 65_535

/** Windows, and the numbers of streams, have 31 bits. */
export const max31Bits = 2 ** 31 - 1

export const frameType = {
  data: 0,
  headers: 1,
  priority: 2,
  resetStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

/** `endStream` and `ack` are the same bit, of different frames. */
export const frameFlag = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 32 } as const

export const setting = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const

export const errorCode = {
  noError: 0,
  protocolError: 1,
  internalError: 2,
  flowControlError: 3,
  streamClosed: 5,
  frameSizeError: 6,
  refusedStream: 7,
  cancel: 8,
  compressionError: 9,
  enhanceYourCalm: 11,
  inadequateSecurity: 12,
} as const
