-- The highest iteration number of all applications, whatever their run.
-- Grain: one row.
select max(iteration) as iteration
from application
