mod audit;
mod crash;
mod fault;
mod retention;
mod target;
mod verify;
