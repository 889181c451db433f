import { EventEmitter } from 'node:events'

/** What a scripted node does with a call. */
export type ScriptedAnswer =
  | { readonly message: Buffer }
  | { readonly code: number; readonly reason: string }
  | { readonly never: true }

/**
 * What the test servers answer, whatever protocol they speak. `events` emits `begin` and `cancel` with the method's
 * name, so that tests wait for what the server saw.
 */
export class ScriptedCalls {
  readonly events = new EventEmitter<{ begin: [method: string]; cancel: [method: string] }>()
  /** Services that were called. */
  readonly services = new Set<string>()

  answer(service: string, method: string, request: Buffer): ScriptedAnswer {
    this.services.add(service)
    this.events.emit('begin', method)
    switch (method) {
      case 'Echo':
        return { message: request }
      case 'Sized':
        return { message: pattern(Number(request.toString())) }
      case 'Fail': {
        const { code, reason } = JSON.parse(request.toString()) as { readonly code: number; readonly reason: string }
        return { code, reason }
      }
      case 'Never':
        return { never: true }
      default:
        return { code: 12, reason: `unknown method ${method}` }
    }
  }

  cancelled(method: string): void {
    this.events.emit('cancel', method)
  }
}

/** Bytes of which every part can be told from the others. */
export function pattern(length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  for (let i = 0; i < length; i++) bytes[i] = (i ^ (i >>> 8) ^ (i >>> 16)) & 0xff
  return bytes
}
