-- How long renders were in each status, in seconds: median, 90th percentile and maximum.
with steps as (
  select render_id, transition.seq as seq, transition."to" as status, transition."at" as began
  from accepted.RenderFactAccepted
  where transition is not null
),
spans as (
  select status, began, lead(began) over (partition by render_id order by seq) as ended from steps
),
waits as (
  select status, date_diff('ms', began, ended) / 1000 as seconds from spans where ended is not null
)
select
  status,
  count(*) as renders,
  round(quantile_cont(seconds, 0.5), 3) as half,
  round(quantile_cont(seconds, 0.9), 3) as nine_of_ten,
  round(max(seconds), 3) as longest
from waits
group by status
order by list_position(['initializing', 'ready', 'queued', 'processing', 'finalizing'], status)
