import { sendToParent } from '../../scripts/bench/process-usage.ts'

/** Sends messages to its parent forever and reads none. */
function chatter(): void {
  sendToParent('something')
  setImmediate(chatter)
}

if (process.send !== undefined) chatter()
