import { tellParent } from '../../scripts/support/tell-parent.ts'

/** Tells its parent something over and over, for ever, and hears nothing. */
function chatter(): void {
  tellParent('something')
  setImmediate(chatter)
}

if (process.send !== undefined) chatter()
