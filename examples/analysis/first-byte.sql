-- How long clients waited, in seconds, by the UTC day of the request: from the POST to the first frames, and to the time
-- when the video can be downloaded.
with first_frames as (
  select render_id, min(progressed_at) as at from attempts group by render_id
)
select
  strftime(created_at, '%Y-%m-%d') as day,
  draft,
  count(*) as renders,
  round(quantile_cont(date_diff('ms', created_at, first_frames.at), 0.5) / 1000, 3) as half_to_frames,
  round(quantile_cont(date_diff('ms', created_at, updated_at), 0.5) / 1000, 3) as half,
  round(quantile_cont(date_diff('ms', created_at, updated_at), 0.95) / 1000, 3) as nineteen_of_twenty
from renders
left join first_frames using (render_id)
where status = 'complete'
group by all
order by day, draft
