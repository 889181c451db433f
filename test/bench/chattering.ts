import { tellParent } from '../../scripts/support/tell-parent.ts'

/** Sends messages to its parent forever and reads none. */
function chatter(): void {
  tellParent('something')
  setImmediate(chatter)
}

if (process.send !== undefined) chatter()
