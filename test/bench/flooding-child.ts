import { sendToParent } from '../../scripts/support/send-to-parent.ts'

/** Sends messages to its parent forever and reads none. */
function chatter(): void {
  sendToParent('something')
  setImmediate(chatter)
}

if (process.send !== undefined) chatter()
