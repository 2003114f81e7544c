-- How many renders came how far. What the fold accepted counts; a render that failed is in every status that it had.
select status, count(*) as renders
from (select transition."to" as status from accepted.RenderFactAccepted where transition is not null)
group by status
order by list_position(['initializing', 'ready', 'queued', 'processing', 'finalizing', 'complete', 'failed'], status)
