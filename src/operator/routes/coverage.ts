import { z } from 'zod'
import { cellBorders, partsPerCell } from '../../farm/overview/coverage-cells.ts'
import { heightParameter, numberParameter, requireHeights } from '../http/inputs.ts'
import { operatorRoute } from '../http/operator-route.ts'

/** `GET /coverage`: a picture of what is done along the chain, in cells, of all that is stored or of a part of it. */
export const coverageRoute = operatorRoute({
  method: 'GET',
  path: '/coverage',
  query: z.object({
    cells: numberParameter(1, 4000).default(400),
    from: heightParameter.optional(),
    to: heightParameter.optional(),
  }),
  handler: async ({ query }, { feed }) => {
    const { overview, heights } = await feed.current()
    const from = query.from ?? overview.stored?.from ?? 0
    const to = query.to ?? Math.max(from, overview.stored?.to ?? 0)
    if (query.to !== undefined) requireHeights({ from, to }, 'invalid-parameter')
    const borders = cellBorders({ from, to }, query.cells)
    return {
      from,
      to,
      cells: borders.length - 1,
      stages: [...heights].map(([name, { covered, active, troubled, skipped }]) => ({
        name,
        done: partsPerCell(covered, borders),
        active: partsPerCell(active, borders),
        troubled: partsPerCell(troubled, borders),
        skipped: partsPerCell(skipped, borders),
      })),
    }
  },
})
