import { defineWorker } from 'flowfarm/worker'
import type { Events } from './events.gen.ts'

export default defineWorker<Events>()({
  contract: 'A.11a1b8a51a86f2a1.Alarm',
  version: 1,
  description: 'Alarms that rang',
  tables: {
    alarms: {
      comment: 'Each alarm that rang',
      columns: {
        id: { type: 'numeric', index: true, comment: 'id of the scheduled transaction' },
        message: { type: 'text', comment: 'Text given when it was set' },
      },
    },
  },
  derive(event, write) {
    write.alarms({ id: event.fields.id, message: event.fields.data })
  },
})
