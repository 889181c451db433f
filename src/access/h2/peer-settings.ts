import { Http2Error } from './http2-error.ts'
import { defaultMaxFrameSize, defaultWindow, errorCode, max31Bits, setting } from './protocol.ts'

const largestFrameSize = 2 ** 24 - 1

/**
 * What the server lets a client do that sends short requests, and headers without a table: all other settings are
 * checked and mean nothing to it.
 */
export class PeerSettings {
  maxConcurrentStreams = Number.POSITIVE_INFINITY
  /** What a new stream may send before the server takes more, in bytes. */
  initialWindowSize = defaultWindow

  /** @throws Http2Error for a value that is not allowed */
  apply(settings: readonly (readonly [id: number, value: number])[]): void {
    for (const [id, value] of settings) {
      switch (id) {
        case setting.enablePush:
          check(value === 0, errorCode.protocolError, `ENABLE_PUSH ${value} from a server`)
          break
        case setting.maxConcurrentStreams:
          this.maxConcurrentStreams = value
          break
        case setting.initialWindowSize:
          check(value <= max31Bits, errorCode.flowControlError, `INITIAL_WINDOW_SIZE ${value}`)
          this.initialWindowSize = value
          break
        case setting.maxFrameSize:
          // It may be used, but for requests as short as ours longer frames gain nothing.
          checkFrameSize(value)
          break
        default:
      }
    }
  }
}

function checkFrameSize(value: number): void {
  const isAllowed = value >= defaultMaxFrameSize && value <= largestFrameSize
  check(isAllowed, errorCode.protocolError, `MAX_FRAME_SIZE ${value}`)
}

function check(isAllowed: boolean, code: number, what: string): void {
  if (!isAllowed) throw new Http2Error(code, `the setting ${what} is not allowed`)
}
