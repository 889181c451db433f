import { expect } from 'chai'
import { measureNames, measureOf } from './measures.ts'
import { seriesSql } from './series.ts'

const days = { from: '2025-07-01', to: '2025-07-31' }
const token = 'A.1654653399040a61.FlowToken'

describe('series of measures', () => {
  it('read a daily table by day', () => {
    expect(seriesSql(['fees'], { days })).to.equal(`with periods as (
  select period::date as period
  from generate_series('2025-07-01'::date::timestamp, '2025-07-31'::date::timestamp, interval '1 day') as p (period)
), hours as (
  select day as period,
    sum(fees) as fees
  from app.hourly_stats
  where day between '2025-07-01'::date and '2025-07-31'::date
  group by 1
)
select periods.period, coalesce(hours.fees, 0.00000000) as fees
from periods
left join hours on hours.period = periods.period
order by periods.period`)
  })

  it('read each table once', () => {
    const text = seriesSql(['tx_count', 'defi_swap_count', 'block_count'], { days })
    expect(text.match(/from app\.\w+/g)).to.deep.equal(['from app.hourly_stats', 'from app.daily_analytics'])
  })

  it('end with the newest indexed day on request', () => {
    expect(seriesSql(['fees'], { days: { last: 30 } })).to.include(
      'day between (select max(day) - 29 from app.hourly_stats) and (select max(day) from app.hourly_stats)',
    )
    expect(() => seriesSql(['fees'], { days: { last: 0 } })).to.throw(TypeError, 'must be a number of days')
  })

  it('are defined for every measure, grain and dimension', () => {
    for (const name of measureNames) {
      const { grains, dimension, definition } = measureOf(name)
      expect(definition, name).to.match(/^[A-Z].*\.$/)
      for (const grain of grains) {
        const text = seriesSql([name], { days, grain, key: dimension === undefined ? undefined : token })
        expect(text, name).to.match(new RegExp(` as ${name}$`, 'm'))
      }
    }
  })

  it('reject other days, grains and keys', () => {
    expect(() => seriesSql(['fees'], { days: { from: "2025-07-01' or true --", to: days.to } })).to.throw('must match')
    expect(() => seriesSql(['active_accounts'], { days, grain: 'week' })).to.throw('has no grain "week"')
    expect(() => seriesSql(['fees'], { days, key: token })).to.throw('has no dimension')
    expect(() => seriesSql(['token_volume'], { days })).to.throw('needs a token')
    expect(() => seriesSql(['token_volume'], { days, key: `${token}'` })).to.throw('must match')
    expect(() => seriesSql(['token_volume', 'fees'], { days, key: token })).to.throw('must have one dimension')
  })
})
